/** @file Ops that are formulas of others. */
import { Tensor } from '../../../../src/index.ts';
import {
  defineShim,
  type Loose,
  native,
  rejectUnless,
  requireFloat,
  sayAlso,
  sayOnly,
  toTensor,
  toTensors,
} from './call.ts';
import { notOffered } from './notOffered.ts';

/** TF.js accepts one or two tensors, and each label once per term. */
export const einsum = (equation: string, ...tensors: Loose[]): Loose =>
  defineShim('einsum', ['tensors[]'], (list) => {
    rejectUnless(
      equation.split('->').length === 2,
      'Equations without an arrow are not supported; expecting exactly one arrow.',
    );
    const [left, right] = equation.split('->') as [string, string];
    const terms = left.split(',');
    rejectUnless(terms.length <= 2, 'Support for more than 2 input tensors is not implemented yet.');
    rejectUnless(
      terms.length === list.length,
      `Expected ${terms.length} input tensors, received ${list.length}`,
    );
    rejectUnless(
      terms.every((term) => new Set(term).size === term.length),
      'Support for duplicate axes is not implemented yet.',
    );
    for (const label of right)
      rejectUnless(
        left.includes(label),
        `Output subscripts contain the label ${label} not present in the input subscripts.`,
      );
    return native('einsum')(toTensors(list), { equation });
  })(tensors);
sayAlso('einsum', ([[a, b]]) => [`dimension ${a?.shape[1]} at axis 0 of input shaped [${b?.shape}]`]);

export const norm = defineShim('norm', ['x'], (x, ord = 'euclidean', axis = null, keepDims = false) => {
  rejectUnless(
    typeof ord === 'string' || ord === 1 || ord === 2 || Math.abs(ord) === Number.POSITIVE_INFINITY,
    `Error in norm: invalid ord value: ${ord}`,
  );
  // TF.js has no singular values.
  rejectUnless(
    !(ord === 2 && Array.isArray(axis) && axis.length === 2),
    `Error in norm: invalid ord value: ${ord}`,
  );
  return native('norm')(toTensor(x), { ord, axis, keepDims });
});

export const diag = defineShim('diag', ['x'], (value) => {
  const x = toTensor(value);
  if (!(x instanceof Tensor)) return native('diag')(x);
  if (x.rank > 3) notOffered('tensors of more than six axes');
  // The library's takes a vector, or the diagonal of a matrix, as in NumPy and Keras.
  const flat = native('reshape')(x, { shape: [-1] });
  return native('reshape')(native('diag')(flat), { shape: [...x.shape, ...x.shape] });
});

export const depthToSpace = defineShim('depthToSpace', ['x:float32'], (x, blockSize, dataFormat = 'NHWC') => {
  if (dataFormat !== 'NHWC') notOffered(`the layout ${dataFormat}`);
  const result = native('depthToSpace')(toTensor(x), { blockSize });
  requireFloat('depthToSpace', 'x', toTensor(x));
  return result;
});
sayOnly('depthToSpace', ([x, blockSize]) =>
  x instanceof Tensor && x.rank === 4 && (x.shape[3] as number) % blockSize ** 2 !== 0 && blockSize > 1
    ? `Dimension size must be evenly divisible by ${blockSize ** 2} but is ${x.shape[3]} for depthToSpace with input shape ${x.shape}`
    : null,
);

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
  const flat = (vector: Loose) => native('reshape')(toTensor(vector), { shape: [-1] });
  const vectors = [x, y].filter((vector) => vector !== undefined).map(flat);
  return defineShim('meshgrid', ['vectors[]'], (list) => native('meshgrid')(toTensors(list), options))(
    vectors,
  );
};
