/** @file Sequences of numbers between two ends: linspace, logspace, geomspace. */
import { type DType, isFloating } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { describe, normalizeAxis, requireBoolean, requireFinite, requireInteger } from '../../core/shape.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { pow } from '../../ops/elementwise/pow.ts';
import { abs, floor, sign } from '../../ops/elementwise/rounding.ts';
import { exp, log } from '../../ops/elementwise/unary.ts';
import { checkDType, tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { isTensor } from './promotion.ts';

export interface GeomspaceOptions<D extends DType = DType> {
  /** Number of values. Default 50. */
  num?: number;
  /** Whether `stop` is the last value. Default true. */
  endpoint?: boolean;
  /** Dtype of the result; for integers, values are rounded down. Default float32. */
  dtype?: D;
  /** The new axis along which values between tensors lie. Default 0. */
  axis?: number;
}

export interface LinspaceOptions<D extends DType = DType> extends GeomspaceOptions<D> {
  /** Whether to return [values, step], with the distance between neighbours. Default false. */
  retstep?: boolean;
}

export interface LogspaceOptions<D extends DType = DType> extends GeomspaceOptions<D> {
  /** The base of the powers. Default 10. */
  base?: number;
}

/** An end of a sequence, or of several. */
export type SequenceEnd = number | Tensor;

const ends = ['start', 'stop'];
const linspaceNames: OptionNames<LinspaceOptions> = {
  num: true,
  endpoint: true,
  retstep: true,
  dtype: true,
  axis: true,
};
const logspaceNames: OptionNames<LogspaceOptions> = {
  num: true,
  endpoint: true,
  base: true,
  dtype: true,
  axis: true,
};
const geomspaceNames: OptionNames<GeomspaceOptions> = { num: true, endpoint: true, dtype: true, axis: true };

/**
 * Evenly spaced numbers from `start` to `stop`. Shape: [num]; of tensors, whose shapes broadcast, theirs with `num` at `axis`.
 * Dtype: float32 unless `dtype` is another. Errors: ValueError for ends that aren't finite, and for options; ShapeError.
 */
export function linspace<D extends DType = 'float32'>(
  start: SequenceEnd,
  stop: SequenceEnd,
  options: LinspaceOptions<D> & { retstep: true },
): [values: Tensor<D>, step: Tensor];
export function linspace<D extends DType = 'float32'>(
  start: SequenceEnd,
  stop: SequenceEnd,
  ...settings: Settings<LinspaceOptions<D>, ['num', 'endpoint', 'retstep', 'dtype', 'axis']>
): Tensor<D>;
export function linspace(
  start: SequenceEnd,
  stop: SequenceEnd,
  ...settings: unknown[]
): Tensor | [Tensor, Tensor] {
  const options: LinspaceOptions = optionsOf('linspace', settings, linspaceNames, ends);
  const { retstep = false } = options;
  requireBoolean('linspace', 'retstep', retstep);
  return tidy(() => {
    const values = sequence('linspace', start, stop, options, { onHost: between, onDevice: blend });
    if (!retstep) return values;
    const steps = stepsOf(options);
    if (typeof start === 'number' && typeof stop === 'number')
      return [values, tensor((stop - start) / steps)];
    return [values, div(sub(stop, start), steps)];
  });
}

/** base^start to base^stop, with exponents at equal distances. Shapes, dtypes and errors: as of `linspace`. */
export function logspace<D extends DType = 'float32'>(
  start: SequenceEnd,
  stop: SequenceEnd,
  ...settings: Settings<LogspaceOptions<D>, ['num', 'endpoint', 'base', 'dtype', 'axis']>
): Tensor<D>;
export function logspace(start: SequenceEnd, stop: SequenceEnd, ...settings: unknown[]): Tensor {
  const options: LogspaceOptions = optionsOf('logspace', settings, logspaceNames, ends);
  const { base = 10 } = options;
  requireFinite('logspace', 'base', base);
  return sequence('logspace', start, stop, options, {
    onHost: (...args) => base ** between(...args),
    onDevice: (...args) => pow(base, blend(...args)),
  });
}

/**
 * start to stop, each the same multiple of the one before. Both have the same sign and aren't 0. Shapes, dtypes and errors: as of
 * `linspace`.
 */
export function geomspace<D extends DType = 'float32'>(
  start: SequenceEnd,
  stop: SequenceEnd,
  ...settings: Settings<GeomspaceOptions<D>, ['num', 'endpoint', 'dtype', 'axis']>
): Tensor<D>;
export function geomspace(start: SequenceEnd, stop: SequenceEnd, ...settings: unknown[]): Tensor {
  const options: GeomspaceOptions = optionsOf('geomspace', settings, geomspaceNames, ends);
  if (typeof start === 'number' && typeof stop === 'number')
    requireFinite('geomspace', 'stop / start', stop / start, Number.MIN_VALUE);
  return sequence('geomspace', start, stop, options, {
    onHost: (place, one, other) =>
      Math.sign(one) * Math.exp(between(place, Math.log(Math.abs(one)), Math.log(Math.abs(other)))),
    onDevice: (place, one, other) => mul(sign(one), exp(blend(place, log(abs(one)), log(abs(other))))),
  });
}

/** The value at a place from 0 to 1: of two numbers, and of tensors. */
interface Formulas {
  readonly onHost: (place: number, start: number, stop: number) => number;
  readonly onDevice: (place: Tensor, start: Tensor, stop: Tensor) => Tensor;
}

/** Weighted, so that the last value is the end itself. */
const between = (place: number, start: number, stop: number) => (1 - place) * start + place * stop;
const blend = (place: Tensor, start: Tensor, stop: Tensor) =>
  add(mul(start, sub(1, place)), mul(stop, place));

/** The number of steps from `start` to `stop`. */
const stepsOf = ({ num = 50, endpoint = true }: GeomspaceOptions) => Math.max(1, endpoint ? num - 1 : num);

function sequence(
  op: string,
  start: SequenceEnd,
  stop: SequenceEnd,
  options: GeomspaceOptions,
  { onHost, onDevice }: Formulas,
): Tensor {
  const { num = 50, endpoint = true, dtype = floatOf([start, stop]), axis = 0 } = options;
  requireInteger(op, 'num', num, 0);
  requireBoolean(op, 'endpoint', endpoint);
  if (options.dtype !== undefined) checkDType(op, dtype);
  for (const [name, end] of Object.entries({ start, stop })) requireEnd(op, name, end);
  const steps = stepsOf(options);
  const places = Array.from({ length: num }, (_, i) => i / steps);
  const isWhole = !isFloating(dtype);
  if (typeof start === 'number' && typeof stop === 'number') {
    const values = places.map((place) => onHost(place, start, stop));
    return tensor(isWhole ? values.map(Math.floor) : values, { shape: [num], dtype });
  }
  return tidy(() => {
    const [one, other] = [start, stop].map((end) =>
      typeof end === 'number' ? tensor(end) : cast(end, 'float32'),
    ) as [Tensor, Tensor];
    const rank = Math.max(one.shape.length, other.shape.length);
    const at = normalizeAxis(op, axis, rank + 1);
    const spread = (end: Tensor) => {
      const aligned = reshape(end, {
        shape: [...new Array<number>(rank - end.shape.length).fill(1), ...end.shape],
      });
      return expandDims(aligned, { axis: at });
    };
    const along = Array.from({ length: rank + 1 }, (_, i) => (i === at ? num : 1));
    const values = onDevice(tensor(places, { shape: along }) as Tensor, spread(one), spread(other));
    return cast(isWhole ? floor(values) : values, { dtype });
  });
}

/** The dtype of what is between two ends: float16 if all floats among their tensors are. */
function floatOf(given: readonly SequenceEnd[]): DType {
  const floats = given.flatMap((end) => (isTensor(end) && isFloating(end.dtype) ? [end.dtype] : []));
  return floats.length > 0 && !floats.includes('float32') ? 'float16' : 'float32';
}

function requireEnd(op: string, name: string, end: unknown): void {
  if (isTensor(end) || Number.isFinite(end)) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` must be a finite number, or a tensor.`,
    received: `${name}: ${describe(end)}`,
    hint: 'pass tensor([…]) for several sequences at once.',
  });
}
