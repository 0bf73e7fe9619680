/**
 * @file The geometry of a 2D convolution: images NHWC, kernels HWIO. Pure functions; kernels and ops share them.
 */
import { requireDType } from './dtype.ts';
import { ShapeError } from './errors.ts';
import { formatShape, requireInteger, requireRank, sameShape, type Shape } from './shape.ts';
import { formatSpec, type TensorSpec } from './spec.ts';
import { type Padding, slideWindows, type WindowAxis, windowOptions } from './windows.ts';

export interface ConvolutionOptions {
  /** Steps between windows: a number, or [rows, columns]. Default 1. */
  strides?: number | readonly number[];
  /** 'same', 'valid', or [[before, after], …] for each axis. Default 'valid'. */
  padding?: Padding;
  /** Steps between the taps of a kernel: a number, or [rows, columns]. Default 1. */
  dilationRate?: number | readonly number[];
  /** Number of channel groups that are convolved separately. Default 1. */
  groups?: number;
}

export interface ConvolutionGeometry {
  readonly batch: number;
  readonly rows: WindowAxis;
  readonly columns: WindowAxis;
  /** Channels of the image and of the result. */
  readonly inputs: number;
  readonly outputs: number;
  readonly groups: number;
}

/** Returns the windows of a kernel of `kernelSize` over an image of `imageSize`. */
export function convolutionWindows(
  op: string,
  imageSize: readonly number[],
  kernelSize: readonly number[],
  options: ConvolutionOptions,
): [WindowAxis, WindowAxis] {
  return slideWindows(op, imageSize, windowOptions(op, kernelSize, options, 2)) as [WindowAxis, WindowAxis];
}

/**
 * Returns the geometry of a convolution of an image of shape `image` with a kernel of shape `kernel`.
 * Errors: ShapeError for ranks, channels that don't fit and windows larger than the image; ValueError for options.
 */
export function convolutionGeometry(
  op: string,
  image: Shape,
  kernel: Shape,
  options: ConvolutionOptions,
): ConvolutionGeometry {
  requireRank(op, 'x', image, 4);
  requireRank(op, 'kernel', kernel, 4);
  const { groups = 1 } = options;
  requireInteger(op, 'groups', groups, 1);
  const [batch, height, width, inputs] = image as [number, number, number, number];
  const [kernelHeight, kernelWidth, groupInputs, outputs] = kernel as [number, number, number, number];
  requireKernelSize(op, kernel);
  const [rows, columns] = convolutionWindows(op, [height, width], [kernelHeight, kernelWidth], options);
  if (inputs !== groupInputs * groups || outputs % groups !== 0) {
    const spec = (shape: Shape): TensorSpec => ({ shape, dtype: 'float32' });
    throw new ShapeError({
      op,
      rule: 'a kernel is [height, width, channels of x / groups, filters], and groups must divide the filters.',
      received: `x ${formatSpec(spec(image))}, kernel ${formatSpec(spec(kernel))}, groups ${groups}`,
      hint: 'check the layout (images NHWC, kernels HWIO), and `groups`.',
    });
  }
  return { batch, rows, columns, inputs, outputs, groups };
}

/** Throws unless `dy` is a cotangent of a result of shape `result`. */
export function requireCotangent(op: string, dy: TensorSpec, result: Shape): void {
  requireDType(op, 'dy', dy.dtype, ['float32']);
  if (sameShape(dy.shape, result)) return;
  throw new ShapeError({
    op,
    rule: '`dy` must have the shape of the result that it is the cotangent of.',
    received: `dy ${formatSpec(dy)}, for a result of shape ${formatShape(result)}`,
    hint: 'pass the options of the convolution itself, and the shapes of its operands.',
  });
}

/** Throws unless the first two axes of a kernel's shape are at least 1. */
export function requireKernelSize(op: string, kernel: Shape): void {
  if ((kernel[0] as number) >= 1 && (kernel[1] as number) >= 1) return;
  throw new ShapeError({
    op,
    rule: 'a kernel covers at least one pixel.',
    received: `kernel ${formatSpec({ shape: kernel, dtype: 'float32' })}`,
    hint: 'pass a kernel with a height and a width of at least 1.',
  });
}

/** Returns the shape of the image that a geometry reads. */
export function imageShape({ batch, rows, columns, inputs }: ConvolutionGeometry): number[] {
  return [batch, rows.input, columns.input, inputs];
}

/** Returns the shape of the result. */
export function resultShape({ batch, rows, columns, outputs }: ConvolutionGeometry): number[] {
  return [batch, rows.output, columns.output, outputs];
}

export function kernelShape({ rows, columns, inputs, outputs, groups }: ConvolutionGeometry): number[] {
  return [rows.window, columns.window, inputs / groups, outputs];
}
