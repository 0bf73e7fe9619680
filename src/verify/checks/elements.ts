/** @file Checks of elementwise ops and fused chains, of ops that move elements, of gathers, scatters and pools. */
import { compile } from '../../autodiff/compile.ts';
import { GradientTape } from '../../autodiff/tape.ts';
import type { AdapterProfile } from '../../kernels/selection/adapterProfile.ts';
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import { avgPool, dilation2d, extractPatches, maxPool, ones, relu, resizeBilinear } from '../../ops/index.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { sigmoid } from '../../ops/activations/activations.ts';
import { tanh } from '../../ops/elementwise/hyperbolic.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Check, differentiable, spec, type Values } from '../check.ts';
import { elementwise, linear } from '../reference.ts';

const sigmoidOf = (x: number) => 1 / (1 + Math.exp(-x));
const formula = (x: number, y: number) => Math.tanh(x) * y + sigmoidOf(y);
const body = (x: Tensor, y: Tensor) => add(mul(tanh(x as never), y as never), sigmoid(y as never));

function chain(size: number): Check {
  const inputs = [spec([size]), spec([size]), spec([size])];
  return differentiable(`tanh(x) · y + sigmoid(y) of ${size}`, inputs, 1e-4, body, elementwise(formula));
}

/** The same as a compiled function: the first run is captured, the others are replayed, fused. */
function compiledChain(size: number): Check {
  const compiled = compile(body);
  return {
    name: `tanh(x) · y + sigmoid(y) of ${size}, compiled`,
    keepsInputs: true,
    inputs: [spec([size]), spec([size])],
    tolerance: 1e-4,
    run: ([x, y]) => [compiled(x as Tensor, y as Tensor)],
    expected: ([x, y]) => [(x as Values).map((value, i) => formula(value, (y as Values)[i] as number))],
  };
}

/** The gradient of a pool of max(x, 0), compiled: on GPUs the pool's kernel computes that of the maximum, where it stores its own. */
function compiledPool(size: number): Check {
  const compiled = compile((x: Tensor, dy: Tensor) => {
    const tape = new GradientTape();
    tape.watch(x);
    const y = maxPool(relu(x), { poolSize: 2 });
    return tape.gradient(y, x, { outputGradients: dy }) as Tensor;
  });
  return {
    name: `gradient of maxPool(relu(x)) of ${size} × ${size} × 4, compiled`,
    keepsInputs: true,
    inputs: [spec([1, size, size, 4]), spec([1, size / 2, size / 2, 4])],
    tolerance: 1e-6,
    run: ([x, dy]) => [compiled(x as Tensor, dy as Tensor)],
    expected: ([x, dy]) => [
      (x as Values).map((value, i) => {
        const [pixel, channel] = [Math.floor(i / 4), i % 4];
        const [row, column] = [Math.floor(pixel / size) >> 1, (pixel % size) >> 1];
        const at = (k: number) => (2 * row + (k >> 1)) * size + 2 * column + (k & 1);
        const window = [0, 1, 2, 3].map((k) => (x as Values)[4 * at(k) + channel] as number);
        const isLargest = value > 0 && value === Math.max(...window);
        return isLargest ? ((dy as Values)[4 * (row * (size / 2) + column) + channel] as number) : 0;
      }),
    ],
  };
}

function broadcastSum(rows: number, columns: number): Check {
  return {
    name: `${rows} × ${columns} plus a row`,
    inputs: [spec([rows, columns]), spec([columns])],
    tolerance: 1e-6,
    run: ([x, row]) => [add(x as never, row as never)],
    expected: ([x, row]) => [
      (x as Values).map((value, i) => value + ((row as Values)[i % columns] as number)),
    ],
  };
}

/** With few elements, and with enough for two and for four per invocation. */
export const elementwiseOps = ({ elementwise: { minElements } }: AdapterProfile): Check[] => [
  chain(37),
  ...[...new Set([minElements[2], minElements[4]])].map((count) => chain(4 * count + 4)),
  broadcastSum(33, 7),
  broadcastSum(Math.ceil(minElements[4] / 16), 64),
  compiledChain(4 * 260),
  compiledPool(6),
];

function moved(
  name: string,
  x: readonly number[],
  y: readonly number[],
  op: (x: Tensor) => Tensor,
  source: (at: number) => number | null,
): Check {
  const size = y.reduce((a, b) => a * b, 1);
  return differentiable(
    name,
    [spec(x), spec(y)],
    1e-6,
    op,
    linear((visit) => {
      for (let k = 0; k < size; k++) {
        const i = source(k);
        if (i !== null) visit(i, k);
      }
    }),
  );
}

function padded(rows: number, columns: number): Check {
  const [height, width] = [rows + 3, columns + 3];
  const op = (x: Tensor) =>
    pad(x as never, {
      paddings: [
        [1, 2],
        [2, 1],
      ],
    });
  return moved(`pad of ${rows} × ${columns}`, [rows, columns], [height, width], op, (k) => {
    const [row, column] = [Math.floor(k / width) - 1, (k % width) - 2];
    return row < 0 || row >= rows || column < 0 || column >= columns ? null : row * columns + column;
  });
}

function sliced(rows: number, columns: number): Check {
  const size = [rows - 2, columns - 3];
  const op = (x: Tensor) => slice(x as never, { begin: [1, 2], size });
  return moved(`slice of ${rows} × ${columns}`, [rows, columns], size, op, (k) => {
    const width = columns - 3;
    return (Math.floor(k / width) + 1) * columns + (k % width) + 2;
  });
}

/** Blocks of rows that overlap. Their gradients are placed together, by several launches of which the later ones add. */
function overlapping(count: number, rows: number, columns: number): Check {
  const op = (x: Tensor) =>
    concat(
      Array.from({ length: count }, (_, i) => slice(x as never, { begin: [i, 0], size: [rows, columns] })),
      { axis: 0 },
    );
  const from = [count + rows, columns];
  const to = [count * rows, columns];
  return moved(`${count} overlapping slices of ${from.join(' × ')}`, from, to, op, (k) => {
    const row = Math.floor(k / columns);
    return (Math.floor(row / rows) + (row % rows)) * columns + (k % columns);
  });
}

export const movements = (): Check[] => [
  padded(9, 13),
  padded(40, 64),
  sliced(9, 13),
  sliced(40, 67),
  overlapping(9, 4, 8),
  overlapping(16, 3, 5),
  {
    name: 'concat of 5 × 3 and 5 × 8',
    inputs: [spec([5, 3]), spec([5, 8])],
    tolerance: 1e-6,
    run: ([x, y]) => [concat([x, y] as never, { axis: 1 })],
    expected: ([x, y]) => [
      Array.from({ length: 5 }, (_, row) => [
        ...(x as Values).subarray(3 * row, 3 * row + 3),
        ...(y as Values).subarray(8 * row, 8 * row + 8),
      ]).flat(),
    ],
  },
];

export const transposes = (): Check[] =>
  [
    [45, 70],
    [3, 130],
  ].map(([rows, columns]) =>
    moved(
      `transpose of ${rows} × ${columns}`,
      [rows as number, columns as number],
      [columns as number, rows as number],
      (x) => transpose(x as never),
      (k) => (k % (rows as number)) * (columns as number) + Math.floor(k / (rows as number)),
    ),
  );

/** Rows of a table, and the gradient, which scatters. Indices repeat. */
function gathered(rows: number, width: number, count: number): Check {
  const indices = Int32Array.from({ length: count }, (_, i) => (i * 7 + (i % 5) * 11) % rows);
  return moved(
    `gather of ${count} rows of ${rows} × ${width}`,
    [rows, width],
    [count, width],
    (x) => gather(x as never, tensor(indices)),
    (k) => (indices[Math.floor(k / width)] as number) * width + (k % width),
  );
}

export const gathers = (): Check[] => [gathered(50, 12, 33), gathered(17, 5, 9), gathered(9, 1, 70)];

/** With enough indices for each algorithm of finding rows. */
export const scatters = ({ scatter: { direct, owned, binned } }: AdapterProfile): Check[] => [
  gathered(40, 4, direct.indices + 9),
  gathered(11, 3, 2500),
  gathered(300, 2, Math.max(owned, binned) + 50),
];

/** With few indices, and with many, to detect software adapters that end long loops early. */
export const groupings = (): Check[] => [gathered(11, 3, 2500), gathered(300, 2, 70_000)];

/** Pixel centres of the result are between those of the image: two neighbours along each axis, or the nearest at the border. */
function resized(size: number, channels: number): Check {
  const out = 2 * size;
  const neighbours = (at: number) => {
    const place = (at + 0.5) / 2 - 0.5;
    const clamped = (i: number) => Math.min(size - 1, Math.max(0, i));
    const [low, share] = [Math.floor(place), place - Math.floor(place)];
    return [
      [clamped(low), 1 - share],
      [clamped(low + 1), share],
    ] as const;
  };
  return differentiable(
    `resizeBilinear of ${size} × ${size} × ${channels} to twice its size`,
    [spec([1, size, size, channels]), spec([1, out, out, channels])],
    2e-6,
    (x) => resizeBilinear(x as never, { size: [out, out] }),
    linear((visit) => {
      for (let pixel = 0; pixel < out * out; pixel++)
        for (const [row, share] of neighbours(Math.floor(pixel / out)))
          for (const [column, part] of neighbours(pixel % out))
            for (let i = 0; i < channels; i++)
              visit((row * size + column) * channels + i, pixel * channels + i, share * part);
    }),
  );
}

export const resizes = (): Check[] => [resized(5, 3), resized(9, 4)];

type Pool = (x: never, options: { poolSize: number; strides: number }) => Tensor;

function pooled(
  name: string,
  op: Pool,
  size: number,
  channels: number,
  join: (window: number[]) => number,
): Check {
  const out = Math.floor((size - 2) / 2) + 1;
  return {
    name: `${name} of ${size} × ${size} × ${channels}`,
    inputs: [spec([1, size, size, channels])],
    tolerance: 1e-6,
    run: ([x]) => [op(x as never, { poolSize: 2, strides: 2 })],
    expected: ([x]) => [
      Array.from({ length: out * out * channels }, (_, k) => {
        const [pixel, channel] = [Math.floor(k / channels), k % channels];
        const [row, column] = [2 * Math.floor(pixel / out), 2 * (pixel % out)];
        const at = (dy: number, dx: number) =>
          (x as Values)[((row + dy) * size + column + dx) * channels + channel] as number;
        return join([at(0, 0), at(0, 1), at(1, 0), at(1, 1)]);
      }),
    ],
  };
}

/** All patches of 3 × 3, which overlap, and their sum. */
const patches = (height: number, width: number, channels: number): Check => {
  const across = width - 2;
  return moved(
    `patches of ${height} × ${width} × ${channels}`,
    [1, height, width, channels],
    [1, height - 2, across, 9 * channels],
    (x) => extractPatches(x as never, { size: 3, strides: 1 }),
    (k) => {
      const [pixel, channel] = [Math.floor(k / channels), k % channels];
      const [patch, tap] = [Math.floor(pixel / 9), pixel % 9];
      const row = Math.floor(patch / across) + Math.floor(tap / 3);
      const column = (patch % across) + (tap % 3);
      return (row * width + column) * channels + channel;
    },
  );
};

const dilated: Pool = (x, { strides }) => dilation2d(x, ones([2, 2, 4]), { strides });

export const pools = (): Check[] => [
  pooled('maxPool', maxPool as Pool, 9, 5, (window) => Math.max(...window)),
  pooled('avgPool', avgPool as Pool, 8, 4, (window) => window.reduce((a, b) => a + b, 0) / 4),
  pooled('dilation2d', dilated, 8, 4, (window) => Math.max(...window) + 1),
  patches(6, 5, 4),
  patches(4, 7, 3),
];
