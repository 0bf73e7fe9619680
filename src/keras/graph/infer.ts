/**
 * @file Shape inference of symbolic calls. An op's `infer` accepts only numbers, so it is called twice, with two different
 * numbers for each unknown size. A size that differs between the results is unknown.
 */
import { restate } from '../../core/errorMessage.ts';
import { RetrogradError } from '../../core/errors.ts';
import type { OpenSpec, TensorSpec } from '../../core/spec.ts';
import { type OpDefinition, outputsOf } from '../../ops/define/definition.ts';

/** Divisible by 1 to 16, so that an open size can be split and reshaped; larger than windows and slices. */
const probes = [720_720, 1_441_440] as const;

/** The number to use for an unknown size: `probe`, unless it must match a known size. */
type Fill = (specs: readonly (OpenSpec | null)[], input: number, axis: number, probe: number) => number;

/** Returns the known size of another input at the same axis, counted from one end. */
const partnerFromEnd: Fill = (specs, input, axis, probe) => {
  const fromEnd = (specs[input] as OpenSpec).shape.length - axis;
  return partner(specs, input, (spec) => spec.shape[spec.shape.length - fromEnd]) ?? probe;
};
const partnerFromStart: Fill = (specs, input, axis, probe) =>
  partner(specs, input, (spec) => spec.shape[axis]) ?? probe;

function partner(
  specs: readonly (OpenSpec | null)[],
  input: number,
  sizeOf: (spec: OpenSpec) => number | null | undefined,
): number | undefined {
  const others = specs.filter((spec, i) => spec && i !== input) as OpenSpec[];
  return others.map(sizeOf).find((size) => typeof size === 'number' && size !== 1) ?? undefined;
}

/** First, open sizes are unlike all known ones; only if that fails do they take the sizes of other inputs. */
const fills: readonly Fill[] = [(_specs, _input, _axis, probe) => probe, partnerFromEnd, partnerFromStart];

/**
 * Returns the specs of the outputs of `op` for inputs with open sizes (null where an optional input is left out): an array where
 * the op has several outputs.
 * Errors: those of the op's `infer`, with null where a size is open.
 */
export function inferOpen(
  op: OpDefinition,
  inputs: readonly (OpenSpec | null)[],
  options: object,
): OpenSpec | OpenSpec[] {
  const ask = (fill: Fill, probe: number) => {
    const specs = inputs.map(
      (spec, input) =>
        spec && {
          dtype: spec.dtype,
          shape: spec.shape.map((size, axis) => size ?? fill(inputs, input, axis, probe)),
        },
    );
    return op.infer(specs, options);
  };
  let rejection: unknown;
  for (const fill of fills) {
    try {
      const plan = ask(fill, probes[0]);
      const second = outputsOf(ask(fill, probes[1]));
      const merged = outputsOf(plan).map((spec, i) => merge(spec, second[i] as TensorSpec));
      return Array.isArray(plan) ? merged : (merged[0] as OpenSpec);
    } catch (error) {
      rejection ??= error;
    }
  }
  throw withOpenSizes(rejection);
}

function merge(a: TensorSpec, b: TensorSpec): OpenSpec {
  return { dtype: a.dtype, shape: a.shape.map((size, axis) => (size === b.shape[axis] ? size : null)) };
}

/** Returns the error with `null` instead of the numbers that were used for open sizes. */
function withOpenSizes(error: unknown): unknown {
  if (!(error instanceof RetrogradError)) return error;
  const rename = (text: string | undefined) => text?.replace(new RegExp(`\\b${probes[0]}\\b`, 'g'), 'null');
  const { rule, received, hint } = error;
  restate(error, {
    rule: rename(rule) as string,
    ...(received === undefined ? {} : { received: rename(received) as string }),
    ...(hint === undefined ? {} : { hint: rename(hint) as string }),
  });
  return error;
}
