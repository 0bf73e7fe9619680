/** @file Causal attention and its gradient: one op compared with matmuls and a softmax. */
import { dotProductAttention, GradientTape, type Tensor } from 'retrograd';
import { type HostArray, normal } from '../host.ts';
import { unable } from '../job.ts';
import type { OnnxGraph, Value } from '../onnx/graph.ts';
import { problem } from '../oracle.ts';
import { type JaxArray, jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { type Tfjs, tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

type TfTensor = ReturnType<Tfjs['tensor']>;
type Shape = readonly [batch: number, length: number, heads: number, size: number];

/** Products of queries with keys, and of weights with values, each for half of the scores. */
const flopsOf = ([batch, length, heads, size]: Shape) => 2 * batch * heads * length * length * size;

/** Attention in float64, for single queries. */
function reference([, length, heads, size]: Shape, [q, k, v]: readonly HostArray[]) {
  const scale = 1 / Math.sqrt(size);
  const at = (x: HostArray | undefined, b: number, t: number, n: number, d: number) =>
    x?.values[((b * length + t) * heads + n) * size + d] as number;
  const dot = (
    x: HostArray | undefined,
    y: HostArray | undefined,
    b: number,
    i: number,
    j: number,
    n: number,
  ) => {
    let total = 0;
    for (let d = 0; d < size; d++) total += at(x, b, i, n, d) * at(y, b, j, n, d);
    return total;
  };
  const weights = (b: number, t: number, n: number) => {
    const scores = Array.from({ length: t + 1 }, (_, s) => scale * dot(q, k, b, t, s, n));
    const largest = Math.max(...scores);
    const exponentials = scores.map((score) => Math.exp(score - largest));
    const total = exponentials.reduce((a, e) => a + e);
    return exponentials.map((e) => e / total);
  };
  return {
    out: (b: number, t: number, n: number, d: number) =>
      weights(b, t, n).reduce((sum, w, s) => sum + w * at(v, b, s, n, d), 0),
    queryGradient(dout: HostArray | undefined, b: number, t: number, n: number, d: number) {
      const own = weights(b, t, n);
      const gradients = own.map((_, s) => dot(dout, v, b, t, s, n));
      const mean = own.reduce((sum, w, s) => sum + w * (gradients[s] as number), 0);
      return own.reduce(
        (sum, w, s) => sum + scale * w * ((gradients[s] as number) - mean) * at(k, b, s, n, d),
        0,
      );
    },
  };
}

/** By the ops that TF.js has; scores of later keys are far below all others. */
function tfAttention(tf: Tfjs, [, length, , size]: Shape, q: TfTensor, k: TfTensor, v: TfTensor): TfTensor {
  const byHeads = (x: TfTensor) => tf.transpose(x, [0, 2, 1, 3]);
  const scores = tf.mul(tf.matMul(byHeads(q), byHeads(k), false, true), 1 / Math.sqrt(size));
  const places = tf.range(0, length, 1, 'int32');
  const seen = tf.lessEqual(tf.reshape(places, [1, length]), tf.reshape(places, [length, 1]));
  const weights = tf.softmax(tf.add(scores, tf.mul(tf.sub(1, tf.cast(seen, 'float32')), -1e9)) as TfTensor);
  return byHeads(tf.matMul(weights, byHeads(v)));
}

/**
 * By ONNX's own operators: the runtime's `MultiHeadAttention` with `unidirectional` gives wrong numbers on WebGPU (as of 1.30).
 */
function onnxAttention(graph: OnnxGraph, [, length, , size]: Shape, [q, k, v]: Value[]): Value {
  const mask = new Float32Array(length * length).map((_, i) =>
    i % length > Math.floor(i / length) ? -1e9 : 0,
  );
  const seen = graph.constant({ shape: [1, 1, length, length], values: mask });
  const arranged = (x: Value, perm: number[]) => graph.node('Transpose', [x], { perm });
  const scores = graph.node('MatMul', [arranged(q!, [0, 2, 1, 3]), arranged(k!, [0, 2, 3, 1])]);
  const scaled = graph.node('Mul', [scores, graph.scalar(1 / Math.sqrt(size))]);
  const weights = graph.node('Softmax', [graph.node('Add', [scaled, seen])], { axis: -1 });
  return arranged(graph.node('MatMul', [weights, arranged(v!, [0, 2, 1, 3])]), [0, 2, 1, 3]);
}

function forwardRow(shape: Shape): Row {
  return {
    name: `causal attention ${shape.join('×')}`,
    family: 'attention',
    inputs: () => [normal(shape, 1), normal(shape, 2), normal(shape, 3)],
    check: ([result], inputs) => problem(result, { shape, at: reference(shape, inputs).out as never }),
    contenders: {
      retrograd: retrograd((q, k, v) => dotProductAttention(q, k, v, { isCausal: true }), { compiled: true }),
      tfjs: tfjs((tf, q, k, v) => tfAttention(tf, shape, q as TfTensor, k as TfTensor, v as TfTensor)),
      jaxjs: jaxjs(({ nn }, q, k, v) => nn.dotProductAttention(q, k, v, { isCausal: true })),
      ort: ort((graph, ...given) => onnxAttention(graph, shape, given)),
    },
    work: { flops: flopsOf(shape), bytes: 16 * shape.reduce((a, n) => a * n, 1) },
  };
}

function gradientRow(shape: Shape): Row {
  const gradients = (q: Tensor, k: Tensor, v: Tensor, dout: Tensor) => {
    const tape = new GradientTape();
    tape.watch([q, k, v]);
    const out = dotProductAttention(q, k, v, { isCausal: true });
    return tape.gradient(out, [q, k, v], { outputGradients: dout }) as Tensor[];
  };
  return {
    name: `causal attention ${shape.join('×')}, with gradient`,
    family: 'attention',
    inputs: () => [normal(shape, 1), normal(shape, 2), normal(shape, 3), normal(shape, 4)],
    check: ([result], [q, k, v, dout]) => {
      const { queryGradient } = reference(shape, [q, k, v] as HostArray[]);
      const at = (...place: number[]) => queryGradient(dout, ...(place as [number, number, number, number]));
      return problem(result, { shape, at });
    },
    contenders: {
      retrograd: retrograd((q, k, v, dout) => gradients(q!, k!, v!, dout!), { compiled: true }),
      tfjs: tfjs((tf, q, k, v, dout) => {
        const attend = (a: TfTensor, b: TfTensor, c: TfTensor) => tfAttention(tf, shape, a, b, c);
        return tf.grads(attend)([q, k, v] as TfTensor[], dout as TfTensor);
      }),
      jaxjs: jaxjs(({ nn, vjp }, q, k, v, dout) => {
        const attend = (a: JaxArray, b: JaxArray, c: JaxArray) =>
          nn.dotProductAttention(a, b, c, { isCausal: true });
        const [out, pull] = vjp(attend, [q!, k!, v!]);
        out.dispose();
        return pull(dout!) as unknown as JaxArray[];
      }),
      ort: unable('no gradients'),
    },
    work: { flops: 3.5 * flopsOf(shape), bytes: 32 * shape.reduce((a, n) => a * n, 1) },
  };
}

export const attentionFamily: Family = {
  name: 'attention',
  rows: (adapter) => {
    const shape: Shape = adapter === 'gpu' ? [1, 1024, 12, 64] : [1, 128, 4, 32];
    return [forwardRow(shape), gradientRow(shape)];
  },
};
