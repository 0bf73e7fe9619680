/** @file Convolutions and pools of volumes, grayscale dilation, pools with positions. */
import { Tensor } from '../../../../src/index.ts';
import {
  defineShim,
  type Loose,
  native,
  rejectUnless,
  requireFloat,
  requireLayout,
  requireRank,
  toTensor,
} from './call.ts';
import { batched, padding, pair, rejectBothAboveOne, requireReach, transposePadding } from './nn.ts';

const triple = (value: Loose): number[] => (Array.isArray(value) ? value : [value, value, value]);

export const conv3d = defineShim(
  'conv3d',
  ['x', 'filter'],
  (value, kernel, strides, pad, dataFormat = 'NDHWC', dilations = [1, 1, 1]) => {
    const [x, filter] = [toTensor(value), toTensor(kernel)];
    requireLayout(dataFormat, 'NDHWC', ['NCDHW']);
    rejectBothAboveOne('conv3D', strides, dilations);
    const options = { strides: triple(strides), padding: pad, dilationRate: triple(dilations) };
    return batched(x, 5, (volume) => native('conv3d')(volume, filter, options));
  },
);

export const conv3dTranspose = defineShim(
  'conv3dTranspose',
  ['x', 'filter'],
  (value, kernel, outputShape, steps, pad) => {
    const [x, filter] = [toTensor(value), toTensor(kernel)];
    const strides = triple(steps);
    return batched(x, 5, (volume) => {
      const outputPadding = transposePadding(volume, filter, outputShape, strides, pad);
      return native('conv3dTranspose')(volume, filter, { strides, padding: pad, outputPadding });
    });
  },
);

const pool3d = (name: 'maxPool3d' | 'avgPool3d') =>
  defineShim(name, ['x:float32'], (value, filterSize, strides, pad, rounding?, dataFormat = 'NDHWC') => {
    const x = toTensor(value);
    requireRank(x, [4, 5], `Error in ${name}: x must be rank 5 but got rank ${x?.rank}.`);
    requireLayout(dataFormat, 'NDHWC', ['NCDHW']);
    const [poolSize, borders] = [triple(filterSize), padding(pad, 3, rounding)];
    requireReach(borders, poolSize);
    const options = { poolSize, strides: triple(strides), padding: borders };
    const result = batched(x, 5, (volume) => native(name)(volume, options));
    requireFloat(name, 'x', x);
    return result;
  });
export const maxPool3d = pool3d('maxPool3d');
export const avgPool3d = pool3d('avgPool3d');

export const maxPoolWithArgmax = defineShim(
  'maxPoolWithArgmax',
  ['x'],
  (value, filterSize, strides, pad, includeBatchInIndex = false) => {
    const options = {
      poolSize: pair(filterSize),
      strides: pair(strides),
      padding: padding(pad, 2),
      includeBatchInIndex,
    };
    const [result, indexes] = native('maxPoolWithArgmax')(toTensor(value), options);
    return { result, indexes };
  },
);

export const dilation2d = defineShim(
  'dilation2d',
  ['x', 'filter'],
  (value, kernel, strides, pad, dilations = [1, 1], dataFormat = 'NHWC') => {
    const [x, filter] = [toTensor(value), toTensor(kernel)];
    requireRank(x, [3, 4], `Error in dilation2d: input must be rank 3 or 4, but got rank ${x?.rank}.`);
    requireRank(filter, [3], `Error in dilation2d: filter must be rank 3, but got rank ${filter?.rank}.`);
    rejectUnless(
      dataFormat === 'NHWC',
      `Error in dilation2d: Only NHWC is currently supported, but got dataFormat of ${dataFormat}`,
    );
    rejectUnless(
      !(x instanceof Tensor && filter instanceof Tensor) || x.shape.at(-1) === filter.shape[2],
      `Error in dilation2d:  input and filter must have the same depth: ${x?.shape?.at(-1)} vs ${filter?.shape?.[2]}`,
    );
    const options = { strides: pair(strides), padding: padding(pad, 2), dilationRate: pair(dilations) };
    return batched(x, 4, (image) => native('dilation2d')(image, filter, options));
  },
);
