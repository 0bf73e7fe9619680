/** @file resizeNearest, resizeBilinear, upSampling2d */
import { dtypes, requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import type { OptionNames } from '../../core/options.ts';
import { requireBoolean, requireOneOf, requireRank, type Shape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { perAxis } from '../../core/windows.ts';
import { resizeKernel, type ResizePlan, type SampledAxis } from '../../kernels/images/resize.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';

/** Options of `resizeNearest` and `resizeBilinear`. */
export interface ResizeOptions {
  /** [height, width] of the result. */
  size: number | readonly number[];
  /** Whether the centres of the corner pixels of both images coincide. Default false. */
  alignCorners?: boolean;
  /** Whether pixels are squares with half-integer centres. Default: true unless `alignCorners`. */
  halfPixelCenters?: boolean;
}

/** Options of `upSampling2d`. */
export interface UpSamplingOptions {
  /** Factors by which height and width grow. Default 2. */
  size?: number | readonly number[];
  /** 'nearest' repeats pixels, 'bilinear' interpolates them. Default 'nearest'. */
  interpolation?: 'nearest' | 'bilinear';
}

type Grid = 'half pixels' | 'corners' | 'origin';
type Method = ResizePlan['method'];

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : greatestDivisor(b, a % b);
}

/** Returns where the outputs of one axis sample its inputs. */
function sampledAxis(op: string, input: number, output: number, grid: Grid, method: Method): SampledAxis {
  // Bilinear positions are relative to pixel centres; nearest ones to pixel edges, half a pixel before.
  const [scale, shift, unit] = {
    'half pixels': [2 * input, method === 'nearest' ? input : input - output, 2 * output],
    // Positions of centres, rounded to the nearest pixel, ties up.
    corners:
      output === 1 ? [0, 0, 1] : [2 * (input - 1), method === 'nearest' ? output - 1 : 0, 2 * (output - 1)],
    origin: [input, 0, output],
  }[grid] as [number, number, number];
  const divisor = greatestDivisor(scale, greatestDivisor(shift, unit));
  const axis = { input, output, scale: scale / divisor, shift: shift / divisor, unit: unit / divisor };
  const largest = Math.max(output * axis.scale, (input + 1) * axis.unit) + Math.abs(axis.shift);
  if (largest < 2 ** 31) return axis;
  throw new ShapeError({
    op,
    rule: 'sizes before and after a resize must have a product below 2^30, unless they share a large divisor.',
    received: `${input} to ${output}`,
    hint: 'resize to a multiple or a simple fraction of the size, or in two steps.',
  });
}

function planOf(op: string, x: TensorSpec, size: unknown, grid: Grid, method: Method): ResizePlan {
  const [height, width] = x.shape.slice(1) as [number, number];
  if (height === 0 || width === 0) {
    throw new ShapeError({
      op,
      rule: 'an image must have pixels to sample.',
      received: formatSpec(x),
      hint: 'leave images without pixels out.',
    });
  }
  const [down, across] = perAxis(op, 'size', size, 2);
  return {
    method,
    rows: sampledAxis(op, height, down, grid, method),
    columns: sampledAxis(op, width, across, grid, method),
  };
}

function gridOf(op: string, { alignCorners = false, halfPixelCenters = !alignCorners }: ResizeOptions): Grid {
  requireBoolean(op, 'alignCorners', alignCorners);
  requireBoolean(op, 'halfPixelCenters', halfPixelCenters);
  if (alignCorners && halfPixelCenters) {
    throw new ValueError({
      op,
      rule: '`alignCorners` and `halfPixelCenters` exclude each other.',
      received: 'both true',
      hint: 'leave one of them out.',
    });
  }
  return alignCorners ? 'corners' : halfPixelCenters ? 'half pixels' : 'origin';
}

/** The options that may come by position. */
type ResizePositions = ['size', 'alignCorners', 'halfPixelCenters'];

const resizeOptionNames: OptionNames<ResizeOptions, ResizePositions[number]> = {
  size: true,
  alignCorners: true,
  halfPixelCenters: true,
};

interface AdjointOptions<O> {
  shape: Shape;
  resize: O;
}

/** A resize and its adjoint: linear maps, each the gradient of the other. */
/* @__NO_SIDE_EFFECTS__ */
function defineResize<O extends object, P extends readonly string[]>(
  name: 'resizeNearest' | 'resizeBilinear' | 'upSampling2d',
  options: OptionNames<NoInfer<O>, NoInfer<P>[number]>,
  plan: (x: TensorSpec, options: O) => ResizePlan,
): Op<[x: Tensor], O, Tensor, 'unknown', P> {
  const resize: Op<[x: Tensor], O, Tensor, 'unknown', P> = defineOp({
    name,
    inputs: ['x'],
    options,
    save: { inputs: [] },
    infer: ([x], options) => {
      requireRank(name, 'x', x.shape, 4);
      const resize = plan(x, options);
      requireDType(name, 'x', x.dtype, resize.method === 'bilinear' ? ['float32'] : dtypes);
      const [batch, , , channels] = x.shape as [number, number, number, number];
      return { shape: [batch, resize.rows.output, resize.columns.output, channels], dtype: x.dtype, resize };
    },
    forward: ([x], plan) => resizeKernel(name, x, plan.resize, 'forward', plan),
    backward: ([dy], { inputSpecs: [x], options }) => [adjoint(dy, { shape: x.shape, resize: options })],
  });
  const adjoint: Op<[dy: Tensor], AdjointOptions<O>, Tensor> = defineOp({
    name: `${name}Gradient` as const,
    inputs: ['dy'],
    save: { inputs: [] },
    infer: ([{ dtype }], { shape, resize }) => ({ shape, dtype, resize: plan({ shape, dtype }, resize) }),
    forward: ([dy], plan, { op }) => resizeKernel(op, dy, plan.resize, 'adjoint', plan),
    backward: ([ddx], { options }) => [resize(ddx, options.resize)],
  });
  return resize;
}

/**
 * Images resized by nearest-neighbour sampling. Any dtype; the gradient passes through floats.
 * Shapes: x [n, h, w, c] → [n, ...size, c]. Pixel centres have half-integer coordinates, as in Keras; downsampling is not
 * antialiased.
 * Errors: ShapeError for another rank or an image without pixels; ValueError for options.
 */
export const resizeNearest: Op<[x: Tensor], ResizeOptions, Tensor, 'first', ResizePositions> =
  /* @__PURE__ */ defineResize('resizeNearest', resizeOptionNames, (x, options) =>
    planOf('resizeNearest', x, options.size, gridOf('resizeNearest', options), 'nearest'),
  );

/**
 * Images resized by bilinear interpolation between the four nearest pixels. float32.
 * Shapes: x [n, h, w, c] → [n, ...size, c]. Pixel centres have half-integer coordinates, as in Keras; downsampling is not
 * antialiased.
 * Errors: ShapeError for another rank or an image without pixels; ValueError for options; DTypeError.
 */
export const resizeBilinear: Op<
  [x: Tensor],
  ResizeOptions,
  Tensor<'float32'>,
  'unknown',
  ResizePositions
> = /* @__PURE__ */ defineResize('resizeBilinear', resizeOptionNames, (x, options) =>
  planOf('resizeBilinear', x, options.size, gridOf('resizeBilinear', options), 'bilinear'),
);

/**
 * Images enlarged by integer factors: pixels repeated, or interpolated by half-pixel centres.
 * Shapes: x [n, h, w, c] → [n, h · size[0], w · size[1], c].
 * Errors: those of the two resizes.
 * Dtypes: any for nearest, float32 for bilinear.
 */
export const upSampling2d: Op<[x: Tensor], UpSamplingOptions, Tensor, 'first', ['size']> =
  /* @__PURE__ */ defineResize(
    'upSampling2d',
    { size: true, interpolation: false },
    (x, { size = 2, interpolation = 'nearest' }) => {
      requireOneOf('upSampling2d', 'interpolation', interpolation, ['nearest', 'bilinear']);
      const [down, across] = perAxis('upSampling2d', 'size', size, 2);
      const [height, width] = x.shape.slice(1) as [number, number];
      const target = [height * down, width * across];
      return planOf('upSampling2d', x, target, 'half pixels', interpolation);
    },
  );
