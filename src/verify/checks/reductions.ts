/** @file Checks of kernels that compute lines of values: reductions, softmax, normalizations, scans, sorts. */
import { compile } from '../../autodiff/compile.ts';
import type { AdapterProfile } from '../../kernels/selection/adapterProfile.ts';
import { cumsum } from '../../ops/reductions/cumsum.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { layerNorm } from '../../ops/normalization/layerNorm.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { rmsNorm } from '../../ops/normalization/rmsNorm.ts';
import { softmax } from '../../ops/activations/softmax.ts';
import { sort } from '../../ops/sorting/sort.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { topK } from '../../ops/sorting/topK.ts';
import { sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Check, differentiable, spec, type Values } from '../check.ts';
import { linear, linesOf } from '../reference.ts';
import { quantizedProducts } from './quantized.ts';
import { generationChecks } from './generation.ts';
import { transformerChecks } from './transformers.ts';

type Shape = readonly number[];

const named = (op: string, shape: Shape, axis: number) => `${op} of ${shape.join(' × ')} along axis ${axis}`;

function total(op: 'sum' | 'mean', shape: Shape, axis: number): Check {
  const { starts, stride, n } = linesOf(shape, axis);
  const weight = op === 'mean' ? 1 / n : 1;
  const reduced = shape.filter((_, i) => i !== axis);
  return differentiable(
    named(op, shape, axis),
    [spec(shape), spec(reduced)],
    1e-5,
    (x) => (op === 'mean' ? mean(x as never, { axis }) : sum(x as never, { axis })),
    linear((visit) => {
      for (const [line, start] of starts.entries())
        for (let i = 0; i < n; i++) visit(start + i * stride, line, weight);
    }),
  );
}

function largest(shape: Shape, axis: number): Check {
  const { starts, stride, n } = linesOf(shape, axis);
  const reduced = shape.filter((_, i) => i !== axis);
  const best = (x: Values) =>
    starts.map((start) => {
      let found = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < n; i++) found = Math.max(found, x[start + i * stride] as number);
      return found;
    });
  return {
    name: named('max', shape, axis),
    inputs: [spec(shape), spec(reduced)],
    tolerance: 1e-6,
    run: ([x]) => [max(x as never, { axis })],
    expected: ([x]) => [best(x as Values)],
  };
}

/** `forward` computes the result for a line; `backward` the gradient, from the line, its result and the cotangent. */
function lineByLine(
  name: string,
  [shape, axis]: readonly [Shape, number],
  op: Parameters<typeof differentiable>[3],
  forward: (line: number[]) => number[],
  backward: (line: number[], result: number[], cotangent: number[]) => number[],
): Check {
  const { starts, stride, n } = linesOf(shape, axis);
  return differentiable(named(name, shape, axis), [spec(shape), spec(shape)], 2e-5, op, ([x, dy]) => {
    const [y, dx] = [new Float64Array(sizeOf(shape)), new Float64Array(sizeOf(shape))];
    const read = (values: Values, start: number) =>
      Array.from({ length: n }, (_, i) => values[start + i * stride] as number);
    for (const start of starts) {
      const line = read(x as Values, start);
      const result = forward(line);
      const gradient = backward(line, result, read(dy as Values, start));
      for (let i = 0; i < n; i++) {
        y[start + i * stride] = result[i] as number;
        dx[start + i * stride] = gradient[i] as number;
      }
    }
    return [y, dx];
  });
}

const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);

function softmaxOf(shape: Shape, axis: number): Check {
  return lineByLine(
    'softmax',
    [shape, axis],
    (x) => softmax(x as never, { axis }),
    (line) => {
      const powers = line.map(Math.exp);
      const all = powers.reduce((a, b) => a + b, 0);
      return powers.map((power) => power / all);
    },
    (_, y, dy) => {
      const projected = dot(y, dy);
      return y.map((value, i) => value * ((dy[i] as number) - projected));
    },
  );
}

const epsilon = 1e-3;

function layerNormOf(shape: Shape): Check {
  const deviation = (line: number[]) => {
    const average = line.reduce((a, b) => a + b, 0) / line.length;
    const centered = line.map((value) => value - average);
    return { centered, by: Math.sqrt(dot(centered, centered) / line.length + epsilon) };
  };
  return lineByLine(
    'layerNorm',
    [shape, shape.length - 1],
    (x) => layerNorm(x as never, null as never, null as never, { epsilon }),
    (line) => {
      const { centered, by } = deviation(line);
      return centered.map((value) => value / by);
    },
    (line, y, dy) => {
      const n = line.length;
      const { by } = deviation(line);
      const [average, projected] = [dy.reduce((a, b) => a + b, 0) / n, dot(dy, y) / n];
      return y.map((value, i) => ((dy[i] as number) - average - value * projected) / by);
    },
  );
}

function rmsNormOf(shape: Shape): Check {
  const rootOf = (line: number[]) => Math.sqrt(dot(line, line) / line.length + epsilon);
  return lineByLine(
    'rmsNorm',
    [shape, shape.length - 1],
    (x) => rmsNorm(x as never, null as never, { epsilon }),
    (line) => line.map((value) => value / rootOf(line)),
    (line, y, dy) => {
      const projected = dot(dy, y) / line.length;
      return y.map((value, i) => ((dy[i] as number) - value * projected) / rootOf(line));
    },
  );
}

function runningSum(shape: Shape, axis: number): Check {
  const { starts, stride, n } = linesOf(shape, axis);
  return {
    name: named('cumsum', shape, axis),
    inputs: [spec(shape)],
    tolerance: 2e-5,
    run: ([x]) => [cumsum(x as never, { axis })],
    expected: ([x]) => {
      const y = Float64Array.from(x as Values);
      for (const start of starts)
        for (let i = 1; i < n; i++) {
          const at = start + i * stride;
          y[at] = (y[at] as number) + (y[at - stride] as number);
        }
      return [y];
    },
  };
}

function sorted(shape: readonly [number, number], k: number): Check {
  const rows = (x: Values) =>
    Array.from({ length: shape[0] }, (_, row) =>
      [...x.subarray(row * shape[1], (row + 1) * shape[1])].sort((a, b) => a - b),
    );
  return {
    name: `sort and topK of ${shape.join(' × ')}`,
    inputs: [spec(shape)],
    tolerance: 1e-6,
    run: ([x]) => [sort(x as never), topK(x as never, { k })[0]],
    expected: ([x]) => [
      rows(x as Values).flat(),
      rows(x as Values).flatMap((row) => row.reverse().slice(0, k)),
    ],
  };
}

/** Sums of columns in a compiled function, whose replay may compute them in one launch. */
function joinedSums(shapes: readonly (readonly [number, number])[]): Check {
  return {
    name: `sums of columns of ${shapes.map((shape) => shape.join(' × ')).join(', ')}, replayed`,
    inputs: shapes.map((shape) => spec(shape)),
    tolerance: 1e-5,
    run: (inputs) => {
      const sums = compile((...given: Tensor[]) => given.map((x) => sum(x, { axis: 0 })));
      try {
        for (const recorded of sums(...inputs)) recorded.dispose();
        return sums(...inputs);
      } finally {
        sums.dispose();
      }
    },
    expected: (inputs) =>
      inputs.map((x, i) => {
        const [rows, columns] = shapes[i] as readonly [number, number];
        return Array.from({ length: columns }, (_, column) => {
          let total = 0;
          for (let row = 0; row < rows; row++) total += x[row * columns + column] as number;
          return total;
        });
      }),
  };
}

/** Lines of few and of many values, in rows and in columns; some are long enough to be split. */
export const reductions = (): Check[] => [
  total('sum', [5, 37], 1),
  total('mean', [3, 1600], 1),
  total('sum', [70, 12], 0),
  total('sum', [9000, 4], 0),
  total('mean', [70_000], 0),
  largest([3, 1601], 1),
  largest([260, 5], 0),
  joinedSums([
    [300, 5],
    [37, 12],
    [130, 8],
  ]),
];

export const lines = ({ lines: { longest } }: AdapterProfile): Check[] => [
  softmaxOf([7, 37], 1),
  softmaxOf([3, 1000], 1),
  softmaxOf([60, 5], 0),
  softmaxOf([2, longest + 40], 1),
  layerNormOf([5, 300]),
  layerNormOf([9, 7]),
  rmsNormOf([5, 300]),
  rmsNormOf([9, 7]),
  runningSum([4, 3000], 1),
  runningSum([500, 7], 0),
  sorted([3, 130], 5),
  ...quantizedProducts(),
  ...transformerChecks(),
  ...generationChecks(),
];
