/** @file Ops that are formulas of others. */
import { defineShim, type Loose, native, toTensor, toTensors } from './call.ts';
import { notOffered } from './notOffered.ts';

export const einsum = (equation: string, ...tensors: Loose[]): Loose =>
  defineShim('einsum', ['tensors[]'], (list) => native('einsum')(toTensors(list), { equation }))(tensors);

export const norm = defineShim('norm', ['x'], (x, ord = 'euclidean', axis = null, keepDims = false) =>
  native('norm')(toTensor(x), { ord, axis, keepDims }),
);

export const diag = defineShim('diag', ['x'], (value) => {
  const x = toTensor(value);
  if (x.rank !== 1)
    notOffered('diagonals of higher rank: diag takes a vector or a matrix, as in NumPy and Keras');
  return native('diag')(x);
});

export const depthToSpace = defineShim('depthToSpace', ['x:float32'], (x, blockSize, dataFormat = 'NHWC') => {
  if (dataFormat !== 'NHWC') notOffered(`the layout ${dataFormat}`);
  return native('depthToSpace')(toTensor(x), { blockSize });
});

export const localResponseNormalization = defineShim(
  'localResponseNormalization',
  ['x:float32'],
  (value, depthRadius = 5, bias = 1, alpha = 1, beta = 0.5) => {
    const x = toTensor(value);
    const image = x.rank === 3 ? native('expandDims')(x, { axis: 0 }) : x;
    const y = native('localResponseNormalization')(image, { depthRadius, bias, alpha, beta });
    return x.rank === 3 ? native('squeeze')(y, { axis: 0 }) : y;
  },
);

export const meshgrid = (x?: Loose, y?: Loose, options: { indexing?: string } = {}): Loose => {
  const vectors = [x, y].filter((vector) => vector !== undefined);
  return defineShim('meshgrid', ['vectors[]'], (list) => native('meshgrid')(toTensors(list), options))(
    vectors,
  );
};

export const bincount = defineShim('bincount', ['x', 'weights'], (x, weights, size) => {
  const given = toTensor(weights);
  return native('bincount')(toTensor(x), given.size === 0 ? null : given, { size, validateIndices: false });
});
