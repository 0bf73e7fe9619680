/** @file An LSTM and a GRU of 512 units, and the attention of a GPT-2-small block, with their gradients. */
import {
  cachedAttention,
  type CachedLayer,
  dotProductAttention,
  gruSteps,
  type KeyValueCache,
  keyValueCache,
  lstmSteps,
  matMul,
  mul,
  softmax,
  type Tensor,
} from 'retrograd';
import { markReserved } from '../../../src/ops/attention/reservedPositions.ts';
import { unable } from '../../job.ts';
import { type JaxArray, type JaxJs, jaxjs } from '../../peers/jaxjs.ts';
import { ort } from '../../peers/ort.ts';
import { type Tfjs, tfjs } from '../../peers/tfjs.ts';
import { gradientOf, jaxjsGradient, type TfTensor, tfjsGradient } from '../gradients.ts';
import { float32, int32, type Problem } from '../problem.ts';

const units = 512;
const time = 16;
const batch = 32;

/** One gate's recurrent multiplications at every step. */
const gateFmas = batch * time * units * units;

const lstm = (gates: Tensor, kernel: Tensor) => lstmSteps(gates, kernel, null, null, null)[0];
const gru = (gates: Tensor, kernel: Tensor, bias: Tensor) => gruSteps(gates, kernel, bias, null, null)[0];

/** The states of all steps. */
const statesSpec = float32(batch, time, units);
const lstmInputs = [float32(batch, time, 4 * units), float32(units, 4 * units)];
const gruInputs = [float32(batch, time, 3 * units), float32(units, 3 * units), float32(3 * units)];

/** Scores, softmax, and the weighted values of 12 heads of 64: [heads, 1024, 64] each. */
const attention = (q: Tensor, k: Tensor, v: Tensor) =>
  matMul(softmax(mul(matMul(q, k, { transposeB: true }), 0.125)), v);
const heads = [12, 1024, 64] as const;
const attentionInputs = [float32(...heads), float32(...heads), float32(...heads)];
const attentionFmas = 2 * 12 * 1024 * 1024 * 64;

/** The same by one op: [1, 1024, heads, 64]. */
const fused = (q: Tensor, k: Tensor, v: Tensor) => dotProductAttention(q, k, v);
const fusedInput = float32(1, 1024, 12, 64);
const fusedInputs = [fusedInput, fusedInput, fusedInput];

const noLoop = unable('its LSTM and GRU run on the CPU');

/** [batch, 4 units] of every step, in Keras's order. */
function tfLstm(tf: Tfjs, gates?: TfTensor, kernel?: TfTensor): TfTensor {
  let h: TfTensor | null = null;
  let c: TfTensor | null = null;
  const states: TfTensor[] = [];
  for (const input of tf.unstack(gates!, 1)) {
    const z: TfTensor = h ? tf.add(input, tf.matMul(h, kernel!)) : input;
    const [i, f, g, o] = tf.split(z, 4, 1) as [TfTensor, TfTensor, TfTensor, TfTensor];
    const candidate = tf.mul(tf.sigmoid(i), tf.tanh(g));
    c = c ? tf.add(tf.mul(tf.sigmoid(f), c), candidate) : candidate;
    h = tf.mul(tf.sigmoid(o), tf.tanh(c)) as TfTensor;
    states.push(h);
  }
  return tf.stack(states, 1) as TfTensor;
}

/** Update, reset and candidate, with the reset after the recurrent multiplication. */
function tfGru(tf: Tfjs, gates?: TfTensor, kernel?: TfTensor, bias?: TfTensor): TfTensor {
  let h = tf.zeros([batch, units]) as TfTensor;
  const states: TfTensor[] = [];
  for (const input of tf.unstack(gates!, 1)) {
    const [xz, xr, xg] = tf.split(input, 3, 1) as [TfTensor, TfTensor, TfTensor];
    const [hz, hr, hg] = tf.split(tf.add(tf.matMul(h, kernel!), bias!), 3, 1) as [
      TfTensor,
      TfTensor,
      TfTensor,
    ];
    const update = tf.sigmoid(tf.add(xz, hz));
    const candidate = tf.tanh(tf.add(xg, tf.mul(tf.sigmoid(tf.add(xr, hr)), hg)));
    h = tf.add(tf.mul(update, h), tf.mul(tf.sub(1, update), candidate));
    states.push(h);
  }
  return tf.stack(states, 1) as TfTensor;
}

/** Returns the columns of a gate. */
const gateOf = (z: JaxArray, k: number) => z.ref.slice([], [k * units, (k + 1) * units]);

function jaxLstm({ numpy: np, nn }: JaxJs, gates?: JaxArray, kernel?: JaxArray): JaxArray {
  let h: JaxArray | null = null;
  let c: JaxArray | null = null;
  const states: JaxArray[] = [];
  for (let t = 0; t < time; t++) {
    const input = gates!.ref.slice([], t);
    const z: JaxArray = h ? input.add(np.matmul(h, kernel!.ref)) : input;
    const candidate = nn.sigmoid(gateOf(z, 0)).mul(np.tanh(gateOf(z, 2)));
    c = c ? nn.sigmoid(gateOf(z, 1)).mul(c).add(candidate) : candidate;
    h = nn.sigmoid(gateOf(z, 3)).mul(np.tanh(c.ref));
    states.push(h.ref);
    z.dispose();
  }
  for (const used of [gates!, kernel!, c!, h!]) used.dispose();
  return np.stack(states, 1);
}

function jaxGru({ numpy: np, nn }: JaxJs, gates?: JaxArray, kernel?: JaxArray, bias?: JaxArray): JaxArray {
  let h = np.zeros([batch, units], { device: 'webgpu' });
  const states: JaxArray[] = [];
  for (let t = 0; t < time; t++) {
    const x = gates!.ref.slice([], t);
    const z = np.matmul(h.ref, kernel!.ref).add(bias!.ref);
    const update = nn.sigmoid(gateOf(x, 0).add(gateOf(z, 0)));
    const reset = nn.sigmoid(gateOf(x, 1).add(gateOf(z, 1)));
    const candidate = np.tanh(gateOf(x, 2).add(reset.mul(gateOf(z, 2))));
    h = update.ref.mul(h).add(np.subtract(1, update).mul(candidate));
    states.push(h.ref);
    for (const used of [x, z]) used.dispose();
  }
  for (const used of [gates!, kernel!, bias!, h]) used.dispose();
  return np.stack(states, 1);
}

/** Scores, softmax and weighted values by ops; heads come first. */
const tfAttention = (tf: Tfjs, q?: TfTensor, k?: TfTensor, v?: TfTensor): TfTensor =>
  tf.matMul(tf.softmax(tf.mul(tf.matMul(q!, k!, false, true), 0.125)), v!);
const jaxAttention = ({ numpy: np, nn }: JaxJs, q?: JaxArray, k?: JaxArray, v?: JaxArray): JaxArray =>
  np.matmul(nn.softmax(np.matmul(q!, np.matrixTranspose(k!)).mul(0.125)), v!);

/** [1, 1024, heads, 64], as models have them. */
const tfFused = (tf: Tfjs, ...inputs: TfTensor[]): TfTensor => {
  const byHeads = (x: TfTensor) => tf.transpose(x, [0, 2, 1, 3]) as TfTensor;
  return byHeads(tfAttention(tf, ...inputs.map(byHeads)));
};
const jaxFused = (jax: JaxJs, ...inputs: JaxArray[]): JaxArray => {
  const byHeads = (x: JaxArray) => jax.numpy.transpose(x, [0, 2, 1, 3]);
  return byHeads(jaxAttention(jax, ...inputs.map(byHeads)));
};

const attentionPeers: Problem['peers'] = {
  tfjs: tfjs(tfAttention),
  jaxjs: jaxjs(jaxAttention),
  ort: ort((graph, q, k, v) => {
    const scores = graph.node('MatMul', [q, graph.node('Transpose', [k], { perm: [0, 2, 1] })]);
    const weights = graph.node('Softmax', [graph.node('Mul', [scores, graph.scalar(0.125)])], { axis: -1 });
    return graph.node('MatMul', [weights, v]);
  }),
};

/** For ONNX Runtime its own operator, in which heads and their sizes are one axis. */
const fusedPeers: Problem['peers'] = {
  tfjs: tfjs(tfFused),
  jaxjs: jaxjs(jaxFused),
  ort: ort((graph, ...given) => {
    const merged = given.map((x) => graph.node('Reshape', [x, graph.integers([1, 1024, 768])]));
    const result = graph.node('MultiHeadAttention', merged, { num_heads: 12 }, 'com.microsoft');
    return graph.node('Reshape', [result, graph.integers([1, 1024, 12, 64])]);
  }),
};

/** A decoding step of 12 heads of 64 with room for `maxLength` rows. Nothing is executed, so the rows are those of an empty cache. */
function decoding(maxLength: number, keyHeads: number, dtype: 'float32' | 'float16'): Problem {
  let cache: KeyValueCache | null = null;
  return {
    name: `cachedAttention, 12 heads of 64, ${keyHeads} of keys, room for ${maxLength}, ${dtype}`,
    family: 'attention',
    inputs: [float32(1, 1, 12, 64), float32(1, 1, keyHeads, 64), float32(1, 1, keyHeads, 64), int32(1, 1)],
    fmas: 2 * 12 * maxLength * 64,
    terms: 0,
    run: (query, key, value, positions) => {
      cache ??= keyValueCache({ layers: 1, batch: 1, maxLength, heads: keyHeads, size: 64, dtype });
      const [layer] = cache.layers as [CachedLayer];
      // As those of cache.advance, which a step has for all layers.
      const reserved = markReserved(positions as Tensor<'int32'>, maxLength);
      return cachedAttention(query as Tensor, key as Tensor, value as Tensor, reserved, layer);
    },
  };
}

/** A problem, and the same with the gradients of its inputs, which add two multiplications for each. */
const pair = (
  family: string,
  name: string,
  inputs: Problem['inputs'],
  result: Problem['inputs'][number],
  fmas: number,
  run: (...inputs: Tensor[]) => Tensor,
  [peers, gradients]: readonly [Problem['peers'], Problem['peers']],
): Problem[] => [
  { family, name, inputs, fmas, terms: 0, run, ...(peers ? { peers } : {}) },
  {
    family,
    name: `${name}, with gradient`,
    inputs: [...inputs, result],
    fmas: 3 * fmas,
    terms: 0,
    run: gradientOf(run, inputs.length),
    ...(gradients ? { peers: gradients } : {}),
  },
];

export const sequenceProblems: readonly Problem[] = [
  ...pair(
    'recurrent',
    `LSTM, ${units} units, ${time} steps, batch ${batch}`,
    lstmInputs,
    statesSpec,
    4 * gateFmas,
    lstm as never,
    [
      { tfjs: tfjs(tfLstm), jaxjs: jaxjs(jaxLstm), ort: noLoop },
      { tfjs: tfjsGradient(tfLstm, 2), jaxjs: jaxjsGradient(jaxLstm, 2) },
    ],
  ),
  ...pair(
    'recurrent',
    `GRU, ${units} units, ${time} steps, batch ${batch}`,
    gruInputs,
    statesSpec,
    3 * gateFmas,
    gru as never,
    [
      { tfjs: tfjs(tfGru), jaxjs: jaxjs(jaxGru), ort: noLoop },
      { tfjs: tfjsGradient(tfGru, 3), jaxjs: jaxjsGradient(jaxGru, 3) },
    ],
  ),
  ...pair(
    'attention',
    'attention by separate ops, 12 heads of 64, 1024',
    attentionInputs,
    float32(...heads),
    attentionFmas,
    attention as never,
    [attentionPeers, { tfjs: tfjsGradient(tfAttention, 3), jaxjs: jaxjsGradient(jaxAttention, 3) }],
  ),
  ...pair(
    'attention',
    'dotProductAttention, 12 heads of 64, 1024',
    fusedInputs,
    fusedInput,
    attentionFmas,
    fused as never,
    [fusedPeers, { tfjs: tfjsGradient(tfFused, 3), jaxjs: jaxjsGradient(jaxFused, 3) }],
  ),
  decoding(512, 12, 'float32'),
  decoding(1024, 3, 'float16'),
  decoding(8192, 12, 'float16'),
];
