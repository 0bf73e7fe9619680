/** @file Ops of pretrained transformers. */
import {
  gatedActivation,
  linearCrossEntropy,
  quantizedMatMul,
  type QuantizedTensor,
  quantizedTensor,
  rotaryEmbedding,
} from 'retrograd';
import { normal, sizeOf } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

function rotaryRow(length: number, heads: number, size: number): Row {
  const shape = [1, length, heads, size];
  const half = size / 2;
  return {
    name: `rotaryEmbedding ${length}×${heads}×${size}`,
    family: 'pretrained',
    inputs: () => [normal(shape, 1)],
    check: ([result], [x]) =>
      problem(result, {
        shape,
        tolerance: 1e-3,
        at(...[, row, head, i]) {
          const [at, j] = [(row as number) * heads + (head as number), (i as number) % half];
          const angle = (row as number) / 10_000 ** (j / half);
          const value = (k: number) => x?.values[at * size + k] as number;
          return (i as number) < half
            ? value(j) * Math.cos(angle) - value(half + j) * Math.sin(angle)
            : value(j) * Math.sin(angle) + value(half + j) * Math.cos(angle);
        },
      }),
    contenders: {
      retrograd: retrograd((x) => rotaryEmbedding(x, null, null)),
      tfjs: tfjs((tf, x) => {
        const rates = tf.pow(10_000, tf.mul(tf.range(0, half), -1 / half));
        const angles = tf.mul(tf.reshape(tf.range(0, length), [length, 1, 1]), rates);
        const [a, b] = tf.split(x as never, 2, -1) as never[];
        const [cosine, sine] = [tf.cos(angles), tf.sin(angles)];
        return tf.concat(
          [
            tf.sub(tf.mul(a as never, cosine), tf.mul(b as never, sine)),
            tf.add(tf.mul(a as never, sine), tf.mul(b as never, cosine)),
          ],
          -1,
        );
      }),
      jaxjs: unable('it has no op for rotary embeddings'),
      ort: unable('its op reads tables of sines and cosines'),
    },
    work: { flops: 3 * sizeOf(shape), bytes: 8 * sizeOf(shape) },
  };
}

function gatedRow(rows: number, n: number): Row {
  const shape = [rows, n];
  const siluOf = (x: number) => x / (1 + Math.exp(-x));
  return {
    name: `gatedActivation ${rows}×${n}`,
    family: 'pretrained',
    inputs: () => [normal(shape, 1), normal(shape, 2)],
    check: ([result], [gate, up]) =>
      problem(result, {
        shape,
        at(...[row, i]) {
          const at = (row as number) * n + (i as number);
          return siluOf(gate?.values[at] as number) * (up?.values[at] as number);
        },
      }),
    contenders: {
      retrograd: retrograd((gate, up) => gatedActivation(gate, up)),
      tfjs: tfjs((tf, gate, up) => tf.mul(tf.mul(gate as never, tf.sigmoid(gate as never)), up as never)),
      jaxjs: jaxjs(({ nn }, gate, up) => nn.silu(gate).mul(up)),
      ort: unable('it fuses no gated activation'),
    },
    work: { flops: 6 * rows * n, bytes: 12 * rows * n },
  };
}

/** The loss of each row for the label 7 times its number. */
function vocabularyRow(rows: number, size: number, vocabulary: number): Row {
  const labels = Int32Array.from({ length: rows }, (_, row) => (7 * row) % vocabulary);
  return {
    name: `linearCrossEntropy ${rows}×${size}, ${vocabulary} entries`,
    family: 'pretrained',
    inputs: () => [normal([rows, size], 1), normal([vocabulary, size], 2, 1 / Math.sqrt(size))],
    check: ([result], [hidden, weights]) =>
      problem(result, {
        shape: [rows],
        tolerance: 1e-4,
        at(row) {
          const logit = (v: number) => {
            let total = 0;
            for (let i = 0; i < size; i++)
              total +=
                (hidden?.values[(row as number) * size + i] as number) *
                (weights?.values[v * size + i] as number);
            return total;
          };
          let sum = 0;
          for (let v = 0; v < vocabulary; v++) sum += Math.exp(logit(v));
          return Math.log(sum) - logit(labels[row as number] as number);
        },
      }),
    contenders: {
      retrograd: retrograd((hidden, weights) => linearCrossEntropy(hidden, weights, labels)),
      tfjs: tfjs((tf, hidden, weights) => {
        const logits = tf.matMul(hidden as never, weights as never, false, true);
        const chosen = tf.sum(tf.mul(logits, tf.oneHot(tf.tensor1d(labels, 'int32'), vocabulary)), -1);
        return tf.sub(tf.logSumExp(logits, -1), chosen);
      }),
      jaxjs: unable('it has no matching op'),
      ort: unable('it has no cross-entropy of logits in WebGPU'),
    },
    work: { flops: 2 * rows * size * vocabulary, bytes: 4 * (rows + vocabulary) * size },
  };
}

/** Weights of 4 bits in groups of 32, with zero points: drawn integers, and scales that are powers of two. */
function quantizedRow(rows: number, channels: number, length: number): Row {
  const groups = length / 32;
  let drawn: { values: Int8Array; zeros: Int8Array } | null = null;
  /** Drawn when the row runs: all rows are listed to find some of them. */
  const draw = () =>
    (drawn ??= {
      values: Int8Array.from({ length: channels * length }, (_, i) => ((i * 2_654_435) % 16) - 8),
      zeros: Int8Array.from({ length: channels * groups }, (_, i) => (i % 7) - 3),
    });
  const weightAt = (channel: number, i: number) => {
    const { values, zeros } = draw();
    const zero = zeros[channel * groups + Math.floor(i / 32)] as number;
    return ((values[channel * length + i] as number) - zero) / 64;
  };
  let weights: QuantizedTensor | null = null;
  const packed = () =>
    (weights ??= quantizedTensor({
      format: 'int4',
      shape: [channels, length],
      scales: new Float32Array(channels * groups).fill(2 ** -6),
      groupSize: 32,
      ...draw(),
    }));
  return {
    name: `quantizedMatMul ${rows}×${length}×${channels}, int4 in groups of 32`,
    family: 'pretrained',
    inputs: () => [normal([rows, length], 1)],
    check: ([result], [x]) =>
      problem(result, {
        shape: [rows, channels],
        tolerance: 1e-4,
        at(...[row, channel]) {
          let total = 0;
          for (let i = 0; i < length; i++)
            total += (x?.values[(row as number) * length + i] as number) * weightAt(channel as number, i);
          return total;
        },
      }),
    contenders: {
      retrograd: retrograd((x) => quantizedMatMul(x, packed())),
      tfjs: unable('it widens quantized weights when it loads them'),
      jaxjs: unable('it has no quantized weights'),
      ort: unable('its MatMulNBits takes weights of bytes, which rows cannot pass'),
    },
    work: {
      flops: 2 * rows * channels * length,
      bytes: 4 * rows * (length + channels) + 0.65625 * channels * length,
    },
  };
}

export const pretrainedFamily: Family = {
  name: 'pretrained',
  rows: (adapter) =>
    adapter === 'gpu'
      ? [
          rotaryRow(4096, 32, 128),
          quantizedRow(1, 4096, 4096),
          quantizedRow(512, 4096, 4096),
          gatedRow(4096, 11_008),
          vocabularyRow(1024, 768, 50_257),
        ]
      : [
          rotaryRow(256, 12, 64),
          quantizedRow(1, 1024, 1024),
          quantizedRow(64, 1024, 1024),
          gatedRow(256, 2048),
          vocabularyRow(64, 64, 8000),
        ],
};
