/** @file Signals, recurrent cells and other formulas that TF.js counts as ops. */
import { Tensor } from '../../../../src/index.ts';
import { rfft } from './fourier.ts';
import { defineShim, type Loose, native, rejectUnless, requireRank, toTensor } from './call.ts';

/** a - b cos(2πn / N'), over N' = N - 1 steps, or N where N is even. */
const cosineWindow = (length: number, a: number, b: number): Loose => {
  const steps = length - (length % 2);
  const angles = native('div')(
    native('mul')(native('range')(0, length), 2 * Math.PI),
    length % 2 === 0 ? steps : length - 1,
  );
  return native('sub')(a, native('mul')(native('cos')(angles), b));
};

/** Windows of the signal times hann's, each transformed. */
const stft = (
  value: Loose,
  frameLength: number,
  frameStep: number,
  fftLength?: number,
  windowFn?: Loose,
): Loose => {
  const frames = signal.frame(value, frameLength, frameStep);
  const window = (windowFn ?? signal.hannWindow)(frameLength);
  const length = fftLength ?? 2 ** Math.ceil(Math.log2(frameLength));
  return rfft(native('mul')(frames, window), length);
};

export const signal = {
  stft,
  hannWindow: defineShim('hannWindow', [], (length) => cosineWindow(length, 0.5, 0.5)),
  hammingWindow: defineShim('hammingWindow', [], (length) => cosineWindow(length, 0.54, 0.46)),
  frame: defineShim('frame', ['signal'], (value, frameLength, frameStep, padEnd = false, padValue = 0) => {
    const x = toTensor(value);
    const count = padEnd
      ? Math.ceil(x.size / frameStep)
      : Math.max(0, Math.floor((x.size - frameLength) / frameStep) + 1);
    const missing = Math.max(0, (count - 1) * frameStep + frameLength - x.size);
    if (count === 0) return native('zeros')([0, frameLength]);
    const padded = native('pad')(x, { paddings: [[0, missing]], constantValue: padValue });
    const sequence = native('reshape')(padded, { shape: [1, 1, -1, 1] });
    const frames = native('extractPatches')(sequence, { size: [1, frameLength], strides: [1, frameStep] });
    return native('reshape')(frames, { shape: [count, frameLength] });
  }),
};

/** Gates in the order input, new input, forget, output, which isn't Keras's. */
const basicLSTMCell = defineShim(
  'basicLSTMCell',
  ['forgetBias', 'lstmKernel', 'lstmBias', 'data', 'c', 'h'],
  (...args) => {
    const [forgetBias, kernel, bias, data, c, h] = args.map((x) => toTensor(x));
    const combined = native('concat')([data, h], { axis: 1 });
    const gates = native('add')(native('matMul')(combined, kernel), bias);
    const [i, j, f, o] = native('split')(gates, { numOrSizeSplits: 4, axis: 1 });
    const sigmoid = native('sigmoid');
    const written = native('mul')(sigmoid(i), native('tanh')(j));
    const kept = native('mul')(c, sigmoid(native('add')(f, forgetBias)));
    const state = native('add')(written, kept);
    return [state, native('mul')(native('tanh')(state), sigmoid(o))];
  },
);
export { basicLSTMCell };

export const multiRNNCell = defineShim('multiRNNCell', ['', 'data', 'c[]', 'h[]'], (cells, data, c, h) => {
  let input = toTensor(data);
  const states = cells.map((cell: Loose, i: number) => {
    const state = cell(input, toTensor(c[i]), toTensor(h[i]));
    input = state[1];
    return state;
  });
  return [states.map(([state]: Loose) => state), states.map(([, output]: Loose) => output)];
});

export const movingAverage = defineShim(
  'movingAverage',
  ['v', 'x', 'decay'],
  (value, update, rate, step, zeroDebias = true) => {
    const [v, x, decay] = [toTensor(value), toTensor(update), toTensor(rate)];
    const change = native('mul')(native('sub')(x, v), native('sub')(1, decay));
    rejectUnless(
      v.dtype === x.dtype,
      `The dtypes of the first(${v.dtype}) and second(${x.dtype}) input must match`,
    );
    rejectUnless(String(v.shape) === String(x.shape), 'Shape mismatch in v and x');
    if (!zeroDebias) return native('add')(v, change);
    rejectUnless(step !== undefined && step !== null, 'When using zeroDebias: true, step is required.');
    const debias = native('sub')(1, native('pow')(decay, native('cast')(toTensor(step), 'float32')));
    return native('add')(v, native('div')(change, debias));
  },
);

export const broadcastArgs = defineShim('broadcastArgs', ['s0', 's1'], (first, second) => {
  const [a, b] = [toTensor(first, 'int32'), toTensor(second, 'int32')];
  for (const x of [a, b])
    requireRank(x, [1], `broadcastArgs(): inputs must be vectors (rank=1). Has rank ${x.rank}`);
  const rank = Math.max(a.size, b.size);
  const [left, right] = [a, b].map((x) =>
    native('pad')(x, { paddings: [[rank - x.size, 0]], constantValue: 1 }),
  );
  return native('where')(native('equal')(left, 1), right, left);
});

export const euclideanNorm = defineShim('euclideanNorm', ['x'], (x, axis = null, keepDims = false) =>
  native('norm')(toTensor(x), { ord: 'euclidean', axis, keepDims }),
);

export const ensureShape = (x: Loose, shape: Loose): Loose => {
  const given = toTensor(x);
  const fits =
    given.rank === shape.length &&
    given.shape.every((n: number, i: number) => shape[i] === null || shape[i] === n);
  rejectUnless(
    fits,
    `EnsureShape: Shape of tensor ${given.shape} is not compatible with expected shape ${shape}`,
  );
  return x;
};

/** Bands of a matrix: above the lower triangle's edge, below the upper one's. A negative edge is none. */
const bandPart = defineShim('bandPart', ['a'], (value, numLower, numUpper) => {
  const a = toTensor(value);
  rejectUnless(a.rank >= 2, `bandPart(): Rank must be at least 2, got ${a.rank}.`);
  const [rows, columns] = a.shape.slice(-2);
  const edge = (name: string, given: Loose, limit: number): Loose => {
    if (given instanceof Tensor) return native('where')(native('less')(given, 0), limit, given);
    rejectUnless(Number.isInteger(given), `bandPart(): ${name} must be an integer, got ${given}.`);
    rejectUnless(given <= limit, `bandPart(): ${name} (${given}) must not be greater than ${limit}.`);
    return given < 0 ? limit : given;
  };
  const [lower, upper] = [edge('numLower', numLower, rows), edge('numUpper', numUpper, columns)];
  const row = native('reshape')(native('range')(0, rows, 1, { dtype: 'int32' }), { shape: [-1, 1] });
  const below = native('sub')(row, native('range')(0, columns, 1, { dtype: 'int32' }));
  const inBand = native('logicalAnd')(
    native('lessEqual')(below, lower),
    native('lessEqual')(native('neg')(below), upper),
  );
  return native('where')(inBand, a, native('zerosLike')(a));
});

const qr = defineShim('qr', ['x'], (value, fullMatrices = false) => {
  const x = toTensor(value);
  rejectUnless(x.rank >= 2, `qr() requires input tensor to have a rank >= 2, but got rank ${x.rank}`);
  return native('qr')(x, { mode: fullMatrices ? 'complete' : 'reduced' });
});

/** Rows made orthonormal: those of q, turned so that each keeps its direction. */
const gramSchmidt = (xs: Loose): Loose => {
  const isList = Array.isArray(xs);
  rejectUnless(!isList || xs.length > 0, 'Gram-Schmidt process: input must not be null, undefined, or empty');
  rejectUnless(
    !isList || xs.every((x: Loose) => x.shape[0] === xs[0].shape[0]),
    'Gram-Schmidt: Non-unique lengths found in the input vectors',
  );
  return defineShim('gramSchmidt', [], (rows) => {
    const matrix = Array.isArray(rows) ? native('stack')(rows) : rows;
    const [count, size] = matrix.shape;
    rejectUnless(
      count <= size,
      `Gram-Schmidt: Number of vectors (${count}) exceeds number of dimensions (${size}).`,
    );
    const [q, r] = native('qr')(native('transpose')(matrix));
    const directions = native('sign')(native('diagonal')(r));
    const orthonormal = native('transpose')(native('mul')(q, directions));
    return isList ? native('unstack')(orthonormal) : orthonormal;
  })(xs);
};

export const linalg = { bandPart, gramSchmidt, qr };
