/** @file Training steps of small models: a perceptron, a convolutional network, an LSTM. */
import {
  add,
  fusedConv2d,
  fusedMatMul,
  logSoftmax,
  lstmSteps,
  matMul,
  maxPool,
  mean,
  mul,
  neg,
  reshape,
  sigmoid,
  slice,
  sum,
  type Tensor,
  tanh,
  transpose,
} from 'retrograd';
import {
  convolveAndRectify,
  crossEntropy,
  dense,
  type Image,
  maxPool as maxPool64,
  relu as relu64,
  sigmoid as sigmoid64,
} from '../float64.ts';
import {
  fromFiltersFirst,
  type HostArray,
  normal,
  seeded,
  toChannelsFirst,
  toFiltersFirst,
} from '../host.ts';
import type { JaxArray, JaxJs } from '../peers/jaxjs.ts';
import type { Tfjs } from '../peers/tfjs.ts';
import type { AdapterClass, Family, Row } from '../row.ts';
import { float16TrainingRow, trainingRow, type TrainingRow } from '../training.ts';

type TfTensor = ReturnType<Tfjs['tensor']>;

const classes = 10;

function labels(rows: number): HostArray {
  const random = seeded(7);
  const values = new Float32Array(rows * classes);
  for (let row = 0; row < rows; row++) values[row * classes + Math.floor(random() * classes)] = 1;
  return { shape: [rows, classes], values };
}

export const loss = (logits: Tensor, wanted: Tensor) =>
  neg(mean(sum(mul(wanted, logSoftmax(logits)), { axis: -1 })));
export const tfLoss = (tf: Tfjs, logits: TfTensor, wanted: TfTensor) =>
  tf.losses.softmaxCrossEntropy(wanted, logits);
export const jaxLoss = ({ numpy: np, nn }: JaxJs, logits: JaxArray, wanted: JaxArray) =>
  np.mean(np.sum(nn.logSoftmax(logits, -1).mul(wanted), -1)).neg();

/** Returns a dense layer's He-initialized weights, and its bias. */
const weights = (inputs: number, outputs: number, seed: number): [HostArray, HostArray] => [
  normal([inputs, outputs], seed, Math.sqrt(2 / inputs)),
  normal([outputs], seed + 1, 0.01),
];

function perceptron(batch: number, sizes: readonly number[]): TrainingRow {
  const depth = sizes.length - 1;
  const each = <T, P>(parameters: readonly P[], x: T, layer: (x: T, w: P, b: P, last: boolean) => T) => {
    let result = x;
    for (let i = 0; i < depth; i++) {
      result = layer(result, parameters[2 * i] as P, parameters[2 * i + 1] as P, i === depth - 1);
    }
    return result;
  };
  return {
    name: `MLP step ${sizes.join('-')}, batch ${batch}`,
    family: 'steps',
    training: () => ({
      parameters: sizes.slice(1).flatMap((size, i) => weights(sizes[i] as number, size, 10 + 2 * i)),
      batch: [normal([batch, sizes[0] as number], 1), labels(batch)],
      constants: [],
      rate: 0.01,
      momentum: 0.9,
    }),
    lossAt: (parameters, [x, wanted]) => {
      const start = Float64Array.from(x?.values ?? []);
      const logits = each<Float64Array, Float64Array>(parameters, start, (y, w, b, last) => {
        const next = dense(y, batch, w, b);
        return last ? next : relu64(next);
      });
      return crossEntropy(logits, wanted?.values ?? [], batch);
    },
    retrograd: ({ parameters, batch: [x, wanted] }, operand) =>
      loss(
        each(parameters, x!, (y, w, b, last) =>
          fusedMatMul(operand(y), operand(w), b, { activation: last ? 'linear' : 'relu' }),
        ),
        wanted!,
      ),
    tfjs: (tf, { parameters, batch: [x, wanted] }) =>
      tfLoss(
        tf,
        each(parameters, x!, (a, b, bias, last) =>
          tf.fused.matMul({ a, b, bias, activation: last ? 'linear' : 'relu' } as never),
        ),
        wanted!,
      ),
    jaxjs: (jax, { parameters, batch: [x, wanted] }) =>
      jaxLoss(
        jax,
        each(parameters, x!, (y, w, b, last) => {
          const next = jax.numpy.matmul(y, w).add(b);
          return last ? next : jax.nn.relu(next);
        }),
        wanted!,
      ),
  };
}

const side = 28;
const filters = [16, 32] as const;

function convolutional(batch: number): TrainingRow {
  const flat = (side / 4) ** 2 * filters[1];
  return {
    name: `CNN step ${side}²×1, ${filters.join('-')} filters, batch ${batch}`,
    family: 'steps',
    training: () => {
      let channels = 1;
      const convolutions = filters.flatMap((count, i) => {
        const w = normal([3, 3, channels, count], 20 + 2 * i, Math.sqrt(2 / (9 * channels)));
        channels = count;
        return [w, normal([count], 21 + 2 * i, 0.01)];
      });
      return {
        parameters: [...convolutions, ...weights(flat, classes, 30)],
        batch: [normal([batch, side, side, 1], 1), labels(batch)],
        constants: [],
        rate: 0.01,
        momentum: 0.9,
      };
    },
    lossAt: (parameters, [x, wanted]) => {
      const [w1, b1, w2, b2, w3, b3] = parameters as [
        Float64Array,
        Float64Array,
        Float64Array,
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      const image: Image = {
        batch,
        height: side,
        width: side,
        channels: 1,
        values: Float64Array.from(x?.values ?? []),
      };
      const features = maxPool64(convolveAndRectify(maxPool64(convolveAndRectify(image, w1, b1)), w2, b2));
      return crossEntropy(dense(features.values, batch, w3, b3), wanted?.values ?? [], batch);
    },
    retrograd: ({ parameters: [w1, b1, w2, b2, w3, b3], batch: [x, wanted] }, operand) => {
      const block = (y: Tensor, w: Tensor, b: Tensor) =>
        maxPool(fusedConv2d(operand(y), operand(w), b, { padding: 'same', activation: 'relu' }), {
          poolSize: 2,
        });
      const features = reshape(block(block(x!, w1!, b1!), w2!, b2!), { shape: [batch, flat] });
      return loss(fusedMatMul(operand(features), operand(w3!), b3!), wanted!);
    },
    tfjs: (tf, { parameters: [w1, b1, w2, b2, w3, b3], batch: [x, wanted] }) => {
      const block = (x: TfTensor, filter: TfTensor, bias: TfTensor) =>
        tf.maxPool(
          tf.fused.conv2d({ x, filter, bias, strides: 1, pad: 'same', activation: 'relu' } as never) as never,
          2,
          2,
          'valid',
        );
      const features = tf.reshape(block(block(x!, w1!, b1!), w2!, b2!), [batch, flat]);
      return tfLoss(tf, tf.fused.matMul({ a: features, b: w3!, bias: b3! } as never), wanted!);
    },
    jaxjs: (jax, { parameters: [w1, b1, w2, b2, w3, b3], batch: [x, wanted] }) => {
      const features = jaxBlock(jax, jaxBlock(jax, x!, w1!, b1!), w2!, b2!);
      // Its channels come first; flattened in the same order as in the other libraries.
      const flattened = jax.numpy.transpose(features, [0, 2, 3, 1]).reshape([batch, flat]);
      return jaxLoss(jax, jax.numpy.matmul(flattened, w3!).add(b3!), wanted!);
    },
    jaxLayout: [toFiltersFirst, null, toFiltersFirst, null, null, null, toChannelsFirst, null],
    jaxRestore: [fromFiltersFirst, null, fromFiltersFirst, null, null, null],
  };
}

/** Computes a 3×3 convolution with bias and ReLU, channels first. */
export function jaxConvolveAndRectify({ lax, nn }: JaxJs, x: JaxArray, w: JaxArray, b: JaxArray): JaxArray {
  const convolved = lax.convGeneralDilated(x, w, [1, 1], 'SAME');
  return nn.relu(convolved.add(b.reshape([1, -1, 1, 1])));
}

export function jaxMaxPool({ numpy: np }: JaxJs, x: JaxArray): JaxArray {
  const [batch, channels, height, width] = x.shape as [number, number, number, number];
  return np.max(x.reshape([batch, channels, height / 2, 2, width / 2, 2]), [3, 5]);
}

const jaxBlock = (jax: JaxJs, x: JaxArray, w: JaxArray, b: JaxArray) =>
  jaxMaxPool(jax, jaxConvolveAndRectify(jax, x, w, b));

/**
 * Gates in Keras's order: input, forget, candidate, output. The products with the inputs are computed for all steps in one
 * matmul.
 */
function lstm(batch: number, steps: number, inputs: number, units: number): TrainingRow {
  return {
    name: `LSTM step ${steps} steps, ${inputs}→${units}, batch ${batch}`,
    family: 'steps',
    training: () => ({
      parameters: [
        normal([inputs, 4 * units], 40, 1 / Math.sqrt(inputs)),
        normal([units, 4 * units], 41, 1 / Math.sqrt(units)),
        normal([4 * units], 42, 0.1),
        ...weights(units, classes, 43),
      ],
      batch: [normal([steps, batch, inputs], 1), labels(batch)],
      constants: [],
      rate: 0.01,
      momentum: 0.9,
    }),
    lossAt: (parameters, [x, wanted]) => {
      const [kernel, recurrent, bias, w, b] = parameters as [
        Float64Array,
        Float64Array,
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      const projected = dense(Float64Array.from(x?.values ?? []), steps * batch, kernel, bias);
      let h = new Float64Array(batch * units);
      const c = new Float64Array(batch * units);
      for (let t = 0; t < steps; t++) {
        const z = dense(h, batch, recurrent, null);
        const next = new Float64Array(batch * units);
        for (let row = 0; row < batch; row++) {
          for (let j = 0; j < units; j++) {
            const gate = (k: number) => {
              const at = row * 4 * units + k * units + j;
              return (z[at] as number) + (projected[t * batch * 4 * units + at] as number);
            };
            const at = row * units + j;
            c[at] = sigmoid64(gate(1)) * (c[at] as number) + sigmoid64(gate(0)) * Math.tanh(gate(2));
            next[at] = sigmoid64(gate(3)) * Math.tanh(c[at] as number);
          }
        }
        h = next;
      }
      return crossEntropy(dense(h, batch, w, b), wanted?.values ?? [], batch);
    },
    retrograd: ({ parameters: [kernel, recurrent, bias, w, b], batch: [x, wanted] }, operand) => {
      const rows = reshape(x!, { shape: [steps * batch, inputs] });
      const projected = reshape(fusedMatMul(operand(rows), operand(kernel!), bias!), {
        shape: [steps, batch, 4 * units],
      });
      let h: Tensor | null = null;
      let c: Tensor | null = null;
      for (let t = 0; t < steps; t++) {
        const input = reshape(slice(projected, { begin: [t, 0, 0], size: [1, batch, 4 * units] }), {
          shape: [batch, 4 * units],
        });
        const z: Tensor = h ? add(input, matMul(operand(h), operand(recurrent!))) : input;
        const gate = (k: number) => slice(z, { begin: [0, k * units], size: [batch, units] });
        const candidate = mul(sigmoid(gate(0)), tanh(gate(2)));
        c = c ? add(mul(sigmoid(gate(1)), c), candidate) : candidate;
        h = mul(sigmoid(gate(3)), tanh(c));
      }
      return loss(fusedMatMul(operand(h!), operand(w!), b!), wanted!);
    },
    tfjs: (tf, { parameters: [kernel, recurrent, bias, w, b], batch: [x, wanted] }) => {
      const rows = tf.reshape(x!, [steps * batch, inputs]);
      const all = tf.fused.matMul({ a: rows, b: kernel!, bias: bias! } as never);
      const projected = tf.unstack(tf.reshape(all, [steps, batch, 4 * units]));
      let h: TfTensor | null = null;
      let c: TfTensor | null = null;
      for (const input of projected) {
        const z: TfTensor = h ? tf.add(input, tf.matMul(h, recurrent!)) : input;
        const [i, f, g, o] = tf.split(z, 4, 1) as [TfTensor, TfTensor, TfTensor, TfTensor];
        const candidate = tf.mul(tf.sigmoid(i), tf.tanh(g));
        c = c ? tf.add(tf.mul(tf.sigmoid(f), c), candidate) : candidate;
        h = tf.mul(tf.sigmoid(o), tf.tanh(c));
      }
      return tfLoss(tf, tf.fused.matMul({ a: h!, b: w!, bias: b! } as never), wanted!);
    },
    jaxjs: (jax, { parameters: [kernel, recurrent, bias, w, b], batch: [x, wanted] }) => {
      const { numpy: np, nn } = jax;
      const rows = x!.reshape([steps * batch, inputs]);
      const projected = np
        .matmul(rows, kernel!)
        .add(bias!)
        .reshape([steps, batch, 4 * units]);
      let h: JaxArray | null = null;
      let c: JaxArray | null = null;
      for (let t = 0; t < steps; t++) {
        const input = projected.ref.slice(t);
        const z: JaxArray = h ? input.add(np.matmul(h, recurrent!.ref)) : input;
        const gate = (k: number) => z.ref.slice([], [k * units, (k + 1) * units]);
        const [i, f, g, o] = [gate(0), gate(1), gate(2), gate(3)] as [JaxArray, JaxArray, JaxArray, JaxArray];
        z.dispose();
        const candidate = nn.sigmoid(i).mul(np.tanh(g));
        if (c) c = nn.sigmoid(f).mul(c).add(candidate);
        else {
          f.dispose();
          c = candidate;
        }
        h = nn.sigmoid(o).mul(np.tanh(c.ref));
      }
      projected.dispose();
      c?.dispose();
      recurrent!.dispose();
      return jaxLoss(jax, np.matmul(h!, w!).add(b!), wanted!);
    },
  };
}

/** The same with the op for all steps, which layers use; the peers' layers are loops over steps. */
function lstmLayer(batch: number, steps: number, inputs: number, units: number): TrainingRow {
  return {
    ...lstm(batch, steps, inputs, units),
    name: `LSTM layer step ${steps} steps, ${inputs}→${units}, batch ${batch}`,
    retrograd: ({ parameters: [kernel, recurrent, bias, w, b], batch: [x, wanted] }) => {
      const rows = reshape(transpose(x!, { perm: [1, 0, 2] }), { shape: [batch * steps, inputs] });
      const gates = reshape(fusedMatMul(rows, kernel!, bias!), { shape: [batch, steps, 4 * units] });
      const [hidden] = lstmSteps(gates, recurrent!, null, null, null);
      const last = slice(hidden, { begin: [0, steps - 1, 0], size: [batch, 1, units] });
      return loss(fusedMatMul(reshape(last, { shape: [batch, units] }), w!, b!), wanted!);
    },
  };
}

/** In float32, and on GPUs, which may multiply float16 faster, also in float16. */
export const inEachPrecision = (adapter: AdapterClass, rows: readonly TrainingRow[]): Row[] => [
  ...rows.map(trainingRow),
  ...(adapter === 'gpu' ? rows.map(float16TrainingRow) : []),
];

const lstmSizes: Readonly<Record<AdapterClass, Parameters<typeof lstm>>> = {
  gpu: [64, 64, 128, 256],
  cpu: [16, 16, 32, 64],
};

export const stepFamily: Family = {
  name: 'steps',
  rows: (adapter) => {
    const loops = lstm(...lstmSizes[adapter]);
    const models =
      adapter === 'gpu'
        ? [perceptron(128, [784, 512, 256, classes]), convolutional(128), loops]
        : [perceptron(64, [784, 256, 128, classes]), convolutional(16), loops];
    // The op for all steps has float32 only.
    return [...inEachPrecision(adapter, models), trainingRow(lstmLayer(...lstmSizes[adapter]))];
  },
};
