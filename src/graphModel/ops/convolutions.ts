/** @file Operations of graphs on the windows of images, and matrix products, with what is fused into them. */
import {
  add,
  avgPool,
  avgPool3d,
  conv2d,
  conv2dInputGrad,
  conv3d,
  conv3dTranspose,
  depthwiseConv2d,
  dilation2d,
  einsum,
  elu,
  fusedConv2d,
  fusedMatMul,
  leakyRelu,
  matMul,
  maxPool,
  maxPool3d,
  relu,
  relu6,
  selu,
  sigmoid,
  softplus,
  tanh,
} from '../../ops/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call, GraphOp, GraphOps } from '../call.ts';
import { parametricRelu } from './elementwise.ts';

interface Windows {
  readonly strides: number[];
  readonly padding: 'same' | 'valid' | (readonly [number, number])[];
}

/** Strides and padding of the axes between batch and channels. */
function windowsOf(call: Call): Windows {
  const { attributes } = call;
  const format = attributes.text('data_format', 'NHWC');
  if (!/^N.*C$/.test(format))
    throw call.unsupported(`data_format '${format}'`, 'convert the model with channels last (NHWC).');
  const pads = attributes.numbers('explicit_paddings');
  const kind = attributes.text('padding', 'VALID').toLowerCase();
  return {
    strides: attributes.numbers('strides').slice(1, -1),
    padding: kind === 'explicit' ? pairsOf(pads).slice(1, -1) : kind === 'same' ? 'same' : 'valid',
  };
}

export const pairsOf = (values: readonly number[]): [number, number][] =>
  Array.from({ length: values.length / 2 }, (_, i) => [values[2 * i] as number, values[2 * i + 1] as number]);

/** Steps between the taps of a kernel. */
function dilationOf({ attributes }: Call): { dilationRate?: number[] } {
  const rates = attributes.numbers('dilations').slice(1, -1);
  return rates.length > 0 ? { dilationRate: rates } : {};
}

/** A kernel that has fewer channels than the image is one of groups. */
const groupsOf = (call: Call): { groups: number } => ({
  groups: (call.shape(0).at(-1) ?? 1) / (call.shape(1).at(2) || 1),
});

/** The gradient of a 3D convolution, which is a transposed one, for an input of the size that the first input says. */
function volumeGradient(call: Call): Tensor {
  const { strides, padding } = windowsOf(call);
  const kernel = call.shape(1);
  const y = call.shape(2);
  const outputPadding = call
    .numbers(0)
    .slice(1, -1)
    .map((size, i) => {
      const taps = kernel[i] as number;
      const inside = padding === 'same' ? 2 * Math.floor(taps / 2) : 0;
      return size - (((y[i + 1] as number) - 1) * (strides[i] as number) + taps - inside);
    });
  return conv3dTranspose(call.tensor(2), call.tensor(1), { strides, padding, outputPadding } as object);
}

const activations: Readonly<Record<string, (x: Tensor, call: Call) => Tensor>> = {
  Relu: (x) => relu(x),
  Relu6: (x) => relu6(x),
  Elu: (x) => elu(x),
  Selu: (x) => selu(x),
  Sigmoid: (x) => sigmoid(x),
  Tanh: (x) => tanh(x),
  Softplus: (x) => softplus(x),
  LeakyRelu: (x, { attributes }) =>
    leakyRelu(x, { negativeSlope: attributes.number('leakyrelu_alpha', 0.2) }),
  Prelu: (x, call) => parametricRelu(x, call.tensor(-1)),
};

/** What kernels apply as they write. */
const fused = { Relu: 'relu', Relu6: 'relu6', Elu: 'elu', Sigmoid: 'sigmoid', Tanh: 'tanh' } as const;

/** The bias, which is the third input, and the activation of a fused operation. */
function fusedInto(call: Call): { bias: Tensor | null; activation: string | null } {
  const names = call.attributes.texts('fused_ops');
  const hasBias = names[0] === 'BiasAdd';
  const [activation = null, ...more] = hasBias ? names.slice(1) : names;
  if (more.length > 0 || (activation !== null && !Object.hasOwn(activations, activation)))
    throw call.unsupported(`fused operations ${names.join(', ')}`, 'convert the model without fusing these.');
  return { bias: hasBias ? call.tensor(2) : null, activation };
}

const activated = (x: Tensor, name: string | null, call: Call): Tensor =>
  name === null ? x : (activations[name] as (x: Tensor, call: Call) => Tensor)(x, call);

/** Runs a kernel that adds the bias, and applies the activation if it is one of `fused`. */
function withEpilogue(
  call: Call,
  run: (bias: Tensor | null, activation: 'linear' | (typeof fused)[keyof typeof fused]) => Tensor,
): Tensor {
  const { bias, activation } = fusedInto(call);
  const isFused = activation !== null && Object.hasOwn(fused, activation);
  const made = run(bias, isFused ? fused[activation as keyof typeof fused] : 'linear');
  return isFused ? made : activated(made, activation, call);
}

const depthwise: GraphOp = {
  run: (call) => {
    const options = { ...windowsOf(call), ...dilationOf(call) };
    const made = depthwiseConv2d(call.tensor(0), call.tensor(1), options);
    const { bias, activation } = fusedInto(call);
    return activated(bias ? add(made, bias) : made, activation, call);
  },
};

const pooled = (pool: typeof maxPool): GraphOp => ({
  run: (call) => {
    const poolSize = call.attributes.numbers('ksize').slice(1, -1);
    return pool(call.tensor(0), { poolSize, ...windowsOf(call) });
  },
});

const batchedProduct: GraphOp = {
  run: (call) =>
    matMul(call.tensor(0), call.tensor(1), {
      transposeA: call.attributes.boolean('adj_x'),
      transposeB: call.attributes.boolean('adj_y'),
    }),
};

const transposedOf = ({ attributes }: Call) => ({
  transposeA: attributes.boolean('transpose_a'),
  transposeB: attributes.boolean('transpose_b'),
});

export const convolutions: GraphOps = {
  Conv2D: {
    run: (call) =>
      conv2d(call.tensor(0), call.tensor(1), { ...windowsOf(call), ...dilationOf(call), ...groupsOf(call) }),
  },
  _FusedConv2D: {
    run: (call) => {
      const options = { ...windowsOf(call), ...dilationOf(call), ...groupsOf(call) };
      return withEpilogue(call, (bias, activation) =>
        fusedConv2d(call.tensor(0), call.tensor(1), bias, { ...options, activation }),
      );
    },
  },
  Conv2DBackpropInput: {
    host: [0],
    run: (call) => {
      const options = { inputShape: [...call.numbers(0)], ...windowsOf(call), ...dilationOf(call) };
      return conv2dInputGrad(call.tensor(2), call.tensor(1), options);
    },
  },
  Conv3D: {
    run: (call) =>
      conv3d(call.tensor(0), call.tensor(1), { ...windowsOf(call), ...dilationOf(call) } as object),
  },
  Conv3DBackpropInputV2: { host: [0], run: volumeGradient },
  DepthwiseConv2dNative: depthwise,
  FusedDepthwiseConv2dNative: depthwise,
  Dilation2D: {
    run: (call) => {
      const rates = call.attributes.numbers('rates').slice(1, -1);
      return dilation2d(call.tensor(0), call.tensor(1), { ...windowsOf(call), dilationRate: rates });
    },
  },
  MaxPool: pooled(maxPool),
  AvgPool: pooled(avgPool as typeof maxPool),
  MaxPool3D: pooled(maxPool3d as unknown as typeof maxPool),
  AvgPool3D: pooled(avgPool3d as unknown as typeof maxPool),
  MatMul: { run: (call) => matMul(call.tensor(0), call.tensor(1), transposedOf(call)) },
  BatchMatMul: batchedProduct,
  BatchMatMulV2: batchedProduct,
  _FusedMatMul: {
    run: (call) =>
      withEpilogue(call, (bias, activation) =>
        fusedMatMul(call.tensor(0), call.tensor(1), bias, { ...transposedOf(call), activation }),
      ),
  },
  Einsum: { run: (call) => einsum(call.attributes.text('equation', ''), ...call.tensors()) },
};
