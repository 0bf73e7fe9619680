/** @file Convolutions, pools, normalization, dropout, and the fused forms. */
import { Tensor } from '../../../../src/index.ts';
import { add, elu, leakyRelu, matMul as product, prelu, relu, relu6, sigmoid } from './arithmetic.ts';
import {
  defineShim,
  type Loose,
  native,
  Rejection,
  rejectUnless,
  requireFloat,
  requireLayout,
  requireRank,
  toTensor,
} from './call.ts';
import { notOffered } from './notOffered.ts';

export const pair = (value: Loose): [number, number] =>
  Array.isArray(value) ? [value[0], value[1] ?? value[0]] : [value, value];

/** TF.js's `pad`: a name, a number, or a list for all four axes. */
export function padding(pad: Loose, spatialRank: number, rounding?: Loose): string | number[][] {
  if (typeof pad === 'string') {
    rejectUnless(
      rounding === undefined || rounding === null,
      `Error: pad must be an integer when using dimRoundingMode ${rounding} but got pad ${pad}.`,
    );
    return pad;
  }
  if (rounding !== undefined && rounding !== null) {
    rejectUnless(
      [pad].flat(2).every((n: number) => Number.isInteger(n)),
      `pad must be an integer when using dimRoundingMode ${rounding} but got pad ${pad}.`,
    );
    rejectUnless(['floor', 'round', 'ceil'].includes(rounding), `Unknown roundingMode ${rounding}`);
    if (rounding !== 'floor') notOffered(`dimRoundingMode '${rounding}'`);
  }
  if (Array.isArray(pad)) return pad.slice(1, 1 + spatialRank);
  return Array(spatialRank).fill([pad, pad]);
}

/** TF.js accepts an image without a batch, and returns one. */
export function batched(x: Loose, rank: number, run: (x: Loose) => Loose): Loose {
  if (!(x instanceof Tensor) || x.rank !== rank - 1) return run(x);
  const image = native('reshape')(x, { shape: [1, ...x.shape] });
  const result = run(image);
  return native('reshape')(result, { shape: result.shape.slice(1) });
}

export function rejectBothAboveOne(name: string, strides: Loose, dilations: Loose): void {
  const one = (value: Loose) => [value].flat().every((n: number) => n === 1);
  rejectUnless(
    one(strides) || one(dilations),
    `Error in ${name}: Either strides or dilations must be 1. Got strides ${strides} and dilations '${dilations}'`,
  );
}

export const conv1d = defineShim(
  'conv1d',
  ['x', 'filter'],
  (value, kernel, stride, pad, dataFormat = 'NWC', dilation = 1, rounding?) => {
    const [x, filter] = [toTensor(value), toTensor(kernel)];
    requireLayout(dataFormat, 'NWC', ['NCW']);
    const options = { strides: stride, padding: padding(pad, 1, rounding), dilationRate: dilation };
    const result = batched(x, 3, (sequence) => native('conv1d')(sequence, filter, options));
    rejectBothAboveOne('conv1D', stride, dilation);
    return result;
  },
);

export const conv2d = defineShim(
  'conv2d',
  ['x:float32', 'filter:float32'],
  (value, kernel, strides, pad, dataFormat = 'NHWC', dilations = [1, 1], rounding?) => {
    const [x, filter] = [toTensor(value), toTensor(kernel)];
    requireLayout(dataFormat, 'NHWC', ['NCHW']);
    const options = {
      strides: pair(strides),
      padding: padding(pad, 2, rounding),
      dilationRate: pair(dilations),
      ...grouped(x, filter),
    };
    const result = batched(x, 4, (image) => native('conv2d')(image, filter, options));
    rejectBothAboveOne('conv2D', strides, dilations);
    return result;
  },
);

/** A filter with fewer input channels means groups; TF.js has no option for their number. */
function grouped(x: Loose, filter: Loose): { groups?: number } {
  if (!(x instanceof Tensor && filter instanceof Tensor) || filter.rank !== 4) return {};
  const channels = x.shape.at(-1) as number;
  const each = filter.shape[2] as number;
  rejectUnless(
    each > 0 && channels % each === 0,
    `Error in conv2d: depth of input (${channels}) must match input depth for filter ${each}.`,
  );
  return { groups: channels / each };
}

/** With explicit padding: the gradient of a convolution for its image, which is what a transposed one is. */
export const conv2dTranspose = defineShim(
  'conv2dTranspose',
  ['x', 'filter'],
  (value, kernel, outputShape, steps, pad, rounding?) => {
    const [x, filter] = [toTensor(value), toTensor(kernel)];
    const strides = pair(steps);
    const borders = padding(pad, 2, rounding);
    return batched(x, 4, (image) => {
      if (typeof borders !== 'string') {
        const inputShape = [
          ...(image instanceof Tensor ? image.shape : []).slice(0, 1),
          ...outputShape.slice(-3),
        ];
        return native('conv2dInputGrad')(image, filter, { inputShape, strides, padding: borders });
      }
      const outputPadding = transposePadding(image, filter, outputShape, strides, borders);
      return native('conv2dTranspose')(image, filter, { strides, padding: borders, outputPadding });
    });
  },
);

/**
 * Keras's output padding for TF.js's output shape: none where Keras infers that shape, else as it computes
 * `out = (in - 1) * stride + kernel - 2 * pad + outputPadding`.
 */
export function transposePadding(
  x: Loose,
  filter: Loose,
  outputShape: Loose,
  strides: number[],
  pad: string,
): Loose {
  if (!(x instanceof Tensor && filter instanceof Tensor)) return null;
  const axes = strides.map((stride, axis) => {
    const [input, kernel] = [x.shape[axis + 1], filter.shape[axis]] as number[] as [number, number];
    const wanted: number = outputShape.at(axis - strides.length - 1);
    const inferred = input * stride + (pad === 'same' ? 0 : Math.max(kernel - stride, 0));
    const full = (input - 1) * stride + kernel - 2 * (pad === 'same' ? Math.floor(kernel / 2) : 0);
    return { isInferred: wanted === inferred, extra: wanted - full, stride };
  });
  if (axes.every(({ isInferred }) => isInferred)) return null;
  if (axes.some(({ extra, stride }) => extra < 0 || extra >= stride))
    notOffered('a transposed convolution to a shape that its convolution would not take back');
  return axes.map(({ extra }) => extra);
}

export const depthwiseConv2d = defineShim(
  'depthwiseConv2d',
  ['x:float32', 'filter:float32'],
  (value, kernel, strides, pad, dataFormat = 'NHWC', dilations = [1, 1], rounding?) => {
    const [x, filter] = [toTensor(value), toTensor(kernel)];
    requireLayout(dataFormat, 'NHWC', ['NCHW']);
    const options = {
      strides: pair(strides),
      padding: padding(pad, 2, rounding),
      dilationRate: pair(dilations ?? 1),
    };
    const result = batched(x, 4, (image) => native('depthwiseConv2d')(image, filter, options));
    rejectBothAboveOne('depthwiseConv2d', strides, dilations ?? 1);
    return result;
  },
);

export const separableConv2d = defineShim(
  'separableConv2d',
  ['x', 'depthwiseFilter', 'pointwiseFilter'],
  (x, depthwiseFilter, pointwiseFilter, strides, pad, dilation = [1, 1], dataFormat = 'NHWC') => {
    if (dataFormat === 'NCHW') {
      rejectUnless(
        false,
        'separableConv2d currently does not support dataFormat NCHW; only NHWC is supported',
      );
    }
    const point = toTensor(pointwiseFilter);
    const deep = depthwiseConv2d(x, depthwiseFilter, strides, pad, dataFormat, dilation);
    const sizes = point instanceof Tensor ? point.shape : [];
    requireRank(point, [4], 'Error in separableConv2d: pointwise filter must be rank 4.');
    for (const size of sizes.slice(0, 2))
      rejectUnless(
        size === 1,
        `Error in separableConv2d: the first and second dimensions of pointwise filter must be 1, but got ${size}.`,
      );
    rejectUnless(
      sizes.length === 0 || sizes[2] === deep.shape.at(-1),
      `Error in separableConv2d: the third dimension of pointwise filter must be ${deep.shape.at(-1)}, but got ${sizes[2]}.`,
    );
    return conv2d(deep, point, 1, 'valid', dataFormat);
  },
);

/** Windows that are entirely in the padding have neither a maximum nor a mean. */
export function requireReach(borders: string | number[][], poolSize: readonly number[]): void {
  if (Array.isArray(borders) && borders.some((border, i) => Math.max(...border) >= Number(poolSize[i])))
    notOffered('a pool with windows in the padding alone');
}

const pool2d = (name: 'maxPool' | 'avgPool') =>
  defineShim(name, [name === 'avgPool' ? 'x:float32' : 'x'], (value, filterSize, strides, pad, rounding?) => {
    const x = toTensor(value);
    const [poolSize, borders] = [pair(filterSize), padding(pad, 2, rounding)];
    requireReach(borders, poolSize);
    const options = { poolSize, strides: pair(strides), padding: borders };
    const result = batched(x, 4, (image) => native(name)(image, options));
    if (name === 'avgPool') requireFloat(name, 'x', x);
    return result;
  });
export const maxPool = pool2d('maxPool');
export const avgPool = pool2d('avgPool');

/** With dilations, space moves into the batch and back, as in TF.js. */
export const pool = defineShim(
  'pool',
  ['x'],
  (x, windowShape, poolingType, pad, dilations = 1, strides = 1, rounding?) => {
    rejectBothAboveOne('pool', strides ?? 1, dilations ?? 1);
    const pooled = poolingType === 'avg' ? avgPool : maxPool;
    const blockShape = pair(dilations ?? 1);
    if (blockShape.every((n: number) => n === 1)) return pooled(x, windowShape, strides ?? 1, pad, rounding);
    if (pad !== 0 && pad !== 'valid') notOffered('pools with dilation and padding');
    return batched(toTensor(x), 4, (image) => {
      if (blockShape.some((block: number, i: number) => image.shape[i + 1] % block !== 0))
        notOffered('pools with a dilation that does not divide the image');
      const blocks = native('spaceToBatch')(image, { blockShape });
      return native('batchToSpace')(pooled(blocks, windowShape, 1, 'valid'), { blockShape });
    });
  },
);

/** By statistics of the rank of x, which broadcast: a formula. The library's own are those of channels. */
function normalizedBy(
  x: Loose,
  mean: Loose,
  variance: Loose,
  beta: Loose,
  gamma: Loose,
  epsilon: number,
): Loose {
  const scale = native('rsqrt')(native('add')(variance, epsilon));
  const scaled = native('mul')(native('sub')(x, mean), gamma === null ? scale : native('mul')(scale, gamma));
  return beta === null ? scaled : native('add')(scaled, beta);
}

const normalize = (name: string, rank?: number) =>
  defineShim(
    'batchNorm',
    ['x', 'mean', 'variance', 'offset', 'scale'],
    (value, mean, variance, offset, scale, epsilon = 0.001) => {
      const x = toTensor(value);
      if (rank !== undefined)
        requireRank(x, [rank], `Error in ${name}: x must be rank ${rank} but got rank ${x?.rank}.`);
      const [m, v, beta, gamma] = [mean, variance, offset ?? null, scale ?? null].map(
        (t) => t && toTensor(t),
      );
      const given = [m, v, beta, gamma].filter((t) => t !== null);
      // Anything but a tensor is rejected first, by its name.
      const checked = [x, ...given].every((t) => t instanceof Tensor) ? given : [];
      for (const t of checked) {
        if (t.rank === 1) continue;
        rejectUnless(t.rank === x.rank, `Error in ${name}: statistics must have rank 1 or that of x`);
      }
      if (checked.some((t) => t.rank > 1)) return normalizedBy(x, m, v, beta, gamma, epsilon ?? 0.001);
      return native('batchNorm')(x, m, v, gamma, beta, { epsilon: epsilon ?? 0.001 });
    },
  );
export const batchNorm = normalize('batchNorm');
export const batchNorm2d = normalize('batchNorm2d', 2);
export const batchNorm3d = normalize('batchNorm3d', 3);
export const batchNorm4d = normalize('batchNorm4d', 4);

export const dropout = defineShim('dropout', ['x'], (value, rate, noiseShape, seed) => {
  const x = toTensor(value);
  rejectUnless(
    !(x instanceof Tensor) || x.dtype === 'float32',
    `x has to be a floating point tensor since it's going to be scaled, but got a ${x.dtype} tensor instead.`,
  );
  rejectUnless(rate >= 0 && rate < 1, `rate must be a float in the range [0, 1), but got ${rate}.`);
  const options = {
    rate,
    ...(noiseShape === undefined || noiseShape === null ? {} : { noiseShape }),
    ...(seed === undefined || seed === null ? {} : { seed: Number(seed) }),
  };
  return native('dropout')(x, options);
});

// Fused forms: the same ops, one after the other

function activate(x: Loose, activation: Loose, weights: Loose, alpha: Loose): Loose {
  switch (activation) {
    case undefined:
    case null:
    case 'linear':
      return x;
    case 'relu':
      return relu(x);
    case 'relu6':
      return relu6(x);
    case 'elu':
      return elu(x);
    case 'sigmoid':
      return sigmoid(x);
    case 'prelu':
      return prelu(x, weights);
    case 'leakyrelu':
      return leakyRelu(x, alpha);
    default:
      throw new Rejection(`Unknown fused activation ${activation}.`);
  }
}

const withBias = (x: Loose, bias: Loose): Loose => (bias === undefined || bias === null ? x : add(x, bias));

const fusedConvolution =
  (convolve: (...args: Loose[]) => Loose) =>
  ({
    x,
    filter,
    strides,
    pad,
    dataFormat = 'NHWC',
    dilations = [1, 1],
    dimRoundingMode,
    bias,
    activation,
    preluActivationWeights,
    leakyreluAlpha,
  }: Loose): Loose =>
    activate(
      withBias(convolve(x, filter, strides, pad, dataFormat, dilations, dimRoundingMode), bias),
      activation,
      preluActivationWeights,
      leakyreluAlpha,
    );

export const fused = {
  conv2d: defineShim('conv2d', [], fusedConvolution(conv2d)),
  depthwiseConv2d: defineShim('depthwiseConv2d', [], fusedConvolution(depthwiseConv2d)),
  matMul: defineShim(
    'fused matMul',
    [],
    ({ a, b, transposeA, transposeB, bias, activation, preluActivationWeights, leakyreluAlpha }: Loose) =>
      activate(
        withBias(product(a, b, transposeA, transposeB), bias),
        activation,
        preluActivationWeights,
        leakyreluAlpha,
      ),
  ),
};
