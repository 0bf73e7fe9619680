/**
 * @file A check: a computation on the device, compared with the same in float64 on the host. It runs several times, since a
 * faulty driver may be right on the first run: with fresh buffers, and with the same ones after their values were overwritten.
 */
import type { DType } from '../core/dtype.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { withDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { GradientTape } from '../autodiff/tape.ts';
import { tensor } from '../tensor/create.ts';
import { keep, tidy } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';

export type Values = Float64Array;

/** A computation that can be checked. */
export interface Check {
  readonly name: string;
  readonly inputs: readonly TensorSpec[];
  /** The maximum error from rounding, relative to the largest value of a result. */
  readonly tolerance: number;
  run(inputs: readonly Tensor[]): readonly Tensor[];
  /** Whether `run` may keep its inputs, so that their values must not be overwritten. Default false. */
  readonly keepsInputs?: boolean;
  /** The results of `run`, in float64. */
  expected(inputs: readonly Values[]): readonly ArrayLike<number>[];
}

export interface Outcome {
  /** The largest error, in units of the tolerance. */
  readonly error: number;
  /** The same, relative to the largest value of the result. */
  readonly relativeError: number;
  /** Time of the fastest run after the first, with its readback. */
  readonly milliseconds: number;
}

/** An op with its gradients: the last input is the cotangent of its result. */
export function differentiable(
  name: string,
  inputs: readonly TensorSpec[],
  tolerance: number,
  op: (...inputs: Tensor[]) => Tensor,
  expected: Check['expected'],
): Check {
  const run = (given: readonly Tensor[]) =>
    GradientTape.run((tape) => {
      const sources = given.slice(0, -1);
      tape.watch(sources);
      const y = op(...sources);
      const gradients = tape.gradient(y, sources, { outputGradients: given.at(-1) as Tensor });
      return [y, ...gradients.filter((gradient) => gradient !== null)];
    });
  return { name, inputs, tolerance, run, expected };
}

export const spec = (shape: readonly number[], dtype: DType = 'float32'): TensorSpec => ({ shape, dtype });

/**
 * Sets of values: one for fresh inputs, one that overwrites them, one in fresh buffers while results of the second are in use.
 */
const sets = 3;

const known = new WeakMap<Check, { inputs: Values[]; expected: readonly ArrayLike<number>[] }[]>();

/** Inputs in [-1, 1) that their dtypes hold exactly, and the expected results. */
function valuesOf(check: Check) {
  const made = known.get(check);
  if (made) return made;
  const all = Array.from({ length: sets }, (_, set) => {
    const inputs = check.inputs.map((input, i) => draw(input, 31 * set + i + 1));
    return { inputs, expected: check.expected(inputs) };
  });
  known.set(check, all);
  return all;
}

function draw({ shape, dtype }: TensorSpec, seed: number): Values {
  let state = Math.imul(seed, 2654435761) >>> 0;
  // Use all bits that the dtype holds, to detect hardware that rounds its inputs to fewer.
  const bits = dtype === 'float16' ? 10 : 24;
  const half = 2 ** (bits - 1);
  const values = new Float64Array(sizeOf(shape));
  for (let i = 0; i < values.length; i++) {
    // Numerical Recipes, a linear congruential generator.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = ((state >>> (32 - bits)) - half) / half;
  }
  return values;
}

/** Runs a check on fresh buffers, on the same ones with other values, and on fresh ones while those are in use. */
export async function runCheck(
  device: Device,
  check: Check,
  force: <R>(body: () => R) => R,
): Promise<Outcome> {
  const tensors: Tensor[] = [];
  const upload = (inputs: readonly Values[]) => {
    const made = withDevice(device, () =>
      inputs.map((values, i) => keep(uploaded(values, check.inputs[i] as TensorSpec))),
    );
    tensors.push(...made);
    return made;
  };
  let [error, relativeError, milliseconds] = [0, 0, Number.POSITIVE_INFINITY];
  const run = async (inputs: readonly Tensor[], set: number) => {
    const start = performance.now();
    const results = withDevice(device, () => tidy(() => force(() => [...check.run(inputs)])));
    try {
      const { expected } = valuesOf(check)[set] as (typeof all)[number];
      const read = await Promise.all(results.map((result) => result.data()));
      if (set > 0) milliseconds = Math.min(milliseconds, performance.now() - start);
      for (const [i, got] of read.entries()) {
        const found = relativeErrorOf(got, expected[i] as ArrayLike<number>);
        relativeError = Math.max(relativeError, found);
        error = Math.max(error, found / check.tolerance);
      }
    } finally {
      for (const result of results) result.dispose();
    }
  };
  const all = valuesOf(check);
  try {
    const [first, second, third] = all as [(typeof all)[number], (typeof all)[number], (typeof all)[number]];
    const inputs = upload(first.inputs);
    await run(inputs, 0);
    const others = upload(second.inputs);
    if (!check.keepsInputs) overwrite(device, inputs, others);
    await run(check.keepsInputs ? others : inputs, 1);
    await run(upload(third.inputs), 2);
  } finally {
    for (const made of tensors) made.dispose();
  }
  return { error, relativeError, milliseconds };
}

function uploaded(values: Values, { shape, dtype }: TensorSpec): Tensor {
  return tensor(Float32Array.from(values), { shape: [...shape], dtype });
}

/** Copies the values of `sources` into the buffers of `targets`. */
function overwrite(device: Device, targets: readonly Tensor[], sources: readonly Tensor[]): void {
  for (const [i, { storage }] of targets.entries()) {
    const source = (sources[i] as Tensor).storage;
    device.copy(source, storage, storage.bytes);
  }
}

/** Returns the largest error, relative to the largest value; infinite if a value is NaN, or if some are missing. */
function relativeErrorOf(got: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (got.length !== expected.length) return Number.POSITIVE_INFINITY;
  let [largest, scale] = [0, 1e-6];
  for (let i = 0; i < expected.length; i++) {
    const value = expected[i] as number;
    const difference = Math.abs((got[i] as number) - value);
    if (Number.isNaN(difference)) return Number.POSITIVE_INFINITY;
    largest = Math.max(largest, difference);
    scale = Math.max(scale, Math.abs(value));
  }
  return largest / scale;
}
