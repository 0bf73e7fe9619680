/** @file Operations of graphs that reduce axes, and normalizations over them. */
import {
  all,
  any,
  argMax,
  argMin,
  batchNorm,
  cumprod,
  cumsum,
  localResponseNormalization,
  logSoftmax,
  max,
  mean,
  min,
  norm,
  prod,
  softmax,
  sum,
  topK,
} from '../../ops/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call, GraphOp, GraphOps } from '../call.ts';
import { hostValues } from '../hostValues.ts';

type Reduce = (x: Tensor, options: { axis: number[]; keepDims: boolean }) => Tensor;

/** A reduction over the axes of the second input. `combine` is that of numbers on the host. */
function reduction(reduce: Reduce, combine?: (a: number, b: number) => number): GraphOp {
  return {
    host: [1],
    ...(combine
      ? {
          onHost: ({ inputs: [x, axes], attributes }) => {
            if (x?.shape.length !== 1 || axes?.values.length !== 1 || x.values.length === 0) return null;
            const shape = attributes.boolean('keep_dims') ? [1] : [];
            return hostValues([x.values.reduce(combine)], shape, x.dtype);
          },
        }
      : {}),
    run: (call) => {
      const axis = [...call.numbers(1)];
      const keepDims = call.attributes.boolean('keep_dims');
      return axis.length === 0 ? call.made(0) : reduce(call.tensor(0), { axis, keepDims });
    },
  };
}

const searched = (search: typeof argMax): GraphOp => ({
  host: [1],
  run: (call) => search(call.tensor(0), { axis: call.number(1) }),
});

const scanned = (scan: typeof cumsum): GraphOp => ({
  host: [1],
  run: (call) =>
    scan(call.tensor(0), {
      axis: call.number(1),
      exclusive: call.attributes.boolean('exclusive'),
      reverse: call.attributes.boolean('reverse'),
    }),
});

const normalization: GraphOp = {
  run: (call: Call) => {
    const { attributes } = call;
    if (attributes.boolean('is_training'))
      throw call.unsupported('a batch normalization in training mode', 'convert a model for inference.');
    const [x, scale, offset] = [call.tensor(0), call.tensor(1), call.tensor(2)];
    const [average, variance] = [call.tensor(3), call.tensor(4)];
    return batchNorm(x, average, variance, scale, offset, { epsilon: attributes.number('epsilon', 1e-4) });
  },
};

export const reductions: GraphOps = {
  Sum: reduction(sum, (a, b) => a + b),
  Prod: reduction(prod, (a, b) => a * b),
  Max: reduction(max, Math.max),
  Min: reduction(min, Math.min),
  Mean: reduction(mean),
  All: reduction(all, (a, b) => a * b),
  Any: reduction(any, Math.max),
  EuclideanNorm: reduction((x, options) => norm(x, options)),
  ArgMax: searched(argMax),
  ArgMin: searched(argMin),
  Cumsum: scanned(cumsum),
  Cumprod: scanned(cumprod),
  Softmax: { run: (call) => softmax(call.tensor(0)) },
  LogSoftmax: { run: (call) => logSoftmax(call.tensor(0)) },
  TopKV2: {
    host: [1],
    run: (call) => {
      const sorted = call.attributes.boolean('sorted', true);
      return [...topK(call.tensor(0), { k: call.number(1), sorted })];
    },
  },
  FusedBatchNorm: normalization,
  FusedBatchNormV2: normalization,
  FusedBatchNormV3: normalization,
  LRN: {
    run: (call) =>
      localResponseNormalization(call.tensor(0), {
        depthRadius: call.attributes.number('depth_radius', 5),
        bias: call.attributes.number('bias', 1),
        alpha: call.attributes.number('alpha', 1),
        beta: call.attributes.number('beta', 0.5),
      }),
  },
};
