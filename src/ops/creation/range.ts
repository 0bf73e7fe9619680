/** @file Evenly spaced numbers: range, linspace. */
import { type DType, isFloating, requireDType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { requireNumber } from '../../core/integers.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { stepsKernel } from '../../kernels/copies/sequence.ts';
import { checkDType } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { create, type CreationOptions } from './creation.ts';

/** Throws unless all `values` are finite, and whole if the dtype isn't floating. */
function requireNumbers(op: string, values: Readonly<Record<string, unknown>>, dtype: DType): void {
  for (const [name, value] of Object.entries(values)) {
    const fits = isFloating(dtype) ? Number.isFinite(value) : Number.isSafeInteger(value);
    if (fits) continue;
    throw new ValueError({
      op,
      rule: `\`${name}\` must be a ${isFloating(dtype) ? 'finite' : 'whole'} number for dtype ${dtype}.`,
      received: `${name}: ${describe(value)}`,
      hint: isFloating(dtype) ? 'pass a finite number.' : "round it, or make a 'float32' tensor.",
    });
  }
}

export interface RangeOptions<D extends DType = DType> extends CreationOptions<D> {
  /** The distance between consecutive numbers. Default 1, or -1 if stop < start. */
  step?: number;
}

const rangeOptionNames: OptionNames<RangeOptions> = { step: true, dtype: true, name: false };

/**
 * The numbers start, start + step, … up to `stop`, exclusive. Shape: [⌈(stop - start) / step⌉], empty if the step leads away
 * from `stop`. Dtypes: float32, int32, uint32. The step is 1 by default, or -1 if stop < start.
 * Errors: ValueError for a step of 0, numbers that aren't finite, or fractions for an integer dtype.
 */
export function range<D extends DType = 'float32'>(
  start: number,
  stop: number,
  ...settings: Settings<RangeOptions<D>, ['step', 'dtype']>
): Tensor<D>;
export function range(start: number, stop: number, ...settings: unknown[]): Tensor {
  const before = ['start', 'stop'];
  const { step, ...options }: RangeOptions = optionsOf('range', settings, rangeOptionNames, before);
  const { dtype = 'float32' } = options;
  checkDType('range', dtype);
  requireDType('range', 'dtype', dtype, ['float32', 'int32', 'uint32']);
  requireNumbers('range', { start, stop, ...(step === undefined ? {} : { step }) }, dtype);
  const by = step ?? (stop < start ? -1 : 1);
  if (by === 0) {
    throw new ValueError({
      op: 'range',
      rule: '`step` must not be 0.',
      received: 'step: 0',
      hint: 'pass the distance between neighbours; a negative one counts down.',
    });
  }
  const count = Math.max(0, Math.ceil((stop - start) / by));
  const last = start + (count - 1) * by;
  if (count > 0)
    for (const [what, end] of [
      ['start', start],
      ['last', last],
    ] as const)
      requireNumber('range', what, end, dtype);
  return create('range', [count], options, (device, spec) =>
    stepsKernel(device, spec, { start, step: by, last }, 'range'),
  );
}

/**
 * `count` evenly spaced numbers from `start` to `stop`, inclusive. Shape: [count]; a single number is `start`.
 * Errors: ValueError for a count below 1 or numbers that aren't finite.
 * Dtype: float32.
 */
export function linspace(
  start: number,
  stop: number,
  count: number,
  options?: { name?: string },
): Tensor<'float32'>;
export function linspace(start: number, stop: number, count: number, ...settings: unknown[]): Tensor {
  const options = optionsOf('linspace', settings, { name: false }, ['start', 'stop', 'count']);
  requireNumbers('linspace', { start, stop }, 'float32');
  requireInteger('linspace', 'count', count, 1);
  const step = count > 1 ? (stop - start) / (count - 1) : 0;
  const last = count > 1 ? stop : start;
  return create('linspace', [count], { ...options, dtype: 'float32' }, (device, spec) =>
    stepsKernel(device, spec, { start, step, last }, 'linspace'),
  );
}
