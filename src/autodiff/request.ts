/**
 * @file The arguments of `gradient`: its options, its sources, and the cotangents that the backward pass starts from.
 */
import { ShapeError, TapeError } from '../core/errors.ts';
import { type OptionNames, rejectExtraArguments } from '../core/options.ts';
import { describe, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { fill } from '../ops/creation/creation.ts';
import { constant } from '../ops/define/scalars.ts';
import { isSymbolic } from '../ops/define/recorders.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { Cotangents } from './cotangents.ts';

/** The gradient of a source that the target doesn't depend on: null, or zeros. */
export type UnconnectedGradients = 'none' | 'zero';

/** Options of `tape.gradient` and `tape.jacobian`. */
export interface GradientOptions<U extends UnconnectedGradients = UnconnectedGradients> {
  /** Cotangents of the targets, in their shapes. Default: ones. */
  outputGradients?: Tensor | readonly (Tensor | null)[] | null;
  /** The gradient of an unconnected source: null ('none', the default) or zeros. */
  unconnectedGradients?: U;
}

/** The gradient of a source: with `unconnectedGradients: 'zero'` never null. */
export type Gradient<U extends UnconnectedGradients = UnconnectedGradients> = U extends 'zero'
  ? Tensor<'float32'>
  : Tensor<'float32'> | null;

export const gradientOptionNames: OptionNames<GradientOptions> = {
  outputGradients: false,
  unconnectedGradients: false,
};

/** Longer lists are assumed to be data, not lists of tensors. */
const maxTensors = 2 ** 20;

/** One or several tensors as a list; holes become undefined. Errors: TapeError for a list that is too long. */
export function listOf<T>(op: string, given: T | readonly T[]): T[] {
  if (!Array.isArray(given)) return [given as T];
  if (given.length <= maxTensors) return [...given];
  throw new TapeError({
    op,
    rule: `a list of tensors has at most ${maxTensors}.`,
    received: `${given.length}`,
    hint: 'pass a tensor, or a list of tensors.',
  });
}

export function flatSources(
  sources: Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>,
): readonly Tensor[] {
  if (sources instanceof Tensor) return [sources];
  if (Array.isArray(sources)) return listOf('gradient', sources);
  const values = Object.values(sources ?? {});
  // Without any tensor, return the argument itself, so that the error shows it as it was passed.
  return values.some((value) => value instanceof Tensor) ? values : [sources as unknown as Tensor];
}

/**
 * Checks that nothing but options follows the sources in a call of `op`.
 * Errors: TapeError for further sources; ValueError for unexpected arguments.
 */
export function requireOneList(
  op: string,
  target: string,
  options: unknown,
  extra: readonly unknown[],
): void {
  if (options instanceof Tensor || Array.isArray(options)) {
    throw new TapeError({
      op,
      rule: 'several sources come in one list, and options in one object after it.',
      received: `${describe(options)} as argument 3`,
      hint: `call ${op}(${target}, [a, b]). Cotangents of the targets are { outputGradients: dy }.`,
    });
  }
  rejectExtraArguments(op, extra, [target, 'sources', 'options']);
}

export function requireTensors(what: string, tensors: readonly unknown[], op = 'gradient'): void {
  const wrong = tensors.findIndex((tensor) => !(tensor instanceof Tensor));
  if (tensors.length > 0 && wrong < 0) return;
  throw new TapeError({
    op,
    rule: `${what} must be tensors or variables, at least one.`,
    received:
      tensors.length === 0
        ? 'none'
        : isSymbolic(tensors[wrong])
          ? String(tensors[wrong])
          : describe(tensors[wrong]),
    hint:
      tensors.length === 0
        ? 'pass a tensor, or a list of tensors. The trainableWeights of a model that was not called yet may be empty: its layers make them at their first call.'
        : isSymbolic(tensors[wrong])
          ? 'a symbolic tensor has no values: call the model on tensors under the tape.'
          : 'pass a tensor, or a list of tensors, such as net.trainableWeights.',
  });
}

export function seedTargets(
  cotangents: Pick<Cotangents, 'add' | 'addBorrowed'>,
  targets: readonly Tensor[],
  reached: ReadonlySet<number>,
  outputGradients: GradientOptions['outputGradients'],
): void {
  const given =
    outputGradients === null || outputGradients === undefined ? [] : listOf('gradient', outputGradients);
  if (given.length > 0 && given.length !== targets.length) {
    throw new ShapeError({
      op: 'gradient',
      rule: '`outputGradients` has one entry for each target.',
      received: `${given.length} for ${targets.length} targets`,
      hint: 'pass null for targets whose gradient is ones.',
    });
  }
  targets.forEach((target, i) => {
    const seed = given[i];
    if (seed != null && !(seed instanceof Tensor)) {
      throw new TapeError({
        op: 'gradient',
        rule: 'an output gradient is a tensor, or null for ones.',
        received: describe(seed),
        hint: 'pass a tensor in the shape of its target, such as fill(y.shape, 2).',
      });
    }
    if (seed && !sameShape(seed.shape, target.shape)) {
      throw new ShapeError({
        op: 'gradient',
        rule: 'an output gradient has the shape of its target.',
        received: `${formatSpec(seed)} for a target ${formatSpec(target)}`,
        hint: 'reshape or broadcast it.',
      });
    }
    if (!reached.has(target.id)) return;
    if (seed) cotangents.addBorrowed(target.id, seed);
    // Most targets are scalars, for which a number is on the device already.
    else if (target.rank === 0) cotangents.addBorrowed(target.id, constant(target.device, 1, 'float32'));
    else cotangents.add(target.id, fill(target.shape, 1));
  });
}
