/**
 * @file What `gradient` is asked for: its options, its sources, and the cotangents that the walk starts from.
 */
import { isFloating } from '../core/dtype.ts';
import { ShapeError, TapeError } from '../core/errors.ts';
import { describe, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { fill } from '../ops/creation.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { Cotangents } from './cotangents.ts';

export interface GradientOptions {
  /** Cotangents of the targets, in their shapes. Default: ones. */
  outputGradients?: Tensor | readonly (Tensor | null)[] | null;
  /** What an unconnected source gets: null ('none', the default) or zeros. */
  unconnectedGradients?: 'none' | 'zero';
}

export function flatSources(
  sources: Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>,
): readonly Tensor[] {
  if (sources instanceof Tensor) return [sources];
  return Array.isArray(sources) ? sources : Object.values(sources ?? {});
}

export function requireTensors(what: string, tensors: readonly unknown[]): void {
  const wrong = tensors.find((tensor) => !(tensor instanceof Tensor));
  if (tensors.length > 0 && wrong === undefined) return;
  throw new TapeError({
    op: 'gradient',
    rule: `${what} must be tensors or variables, at least one.`,
    received: tensors.length === 0 ? 'none' : describe(wrong),
    hint: 'pass a tensor, or a list of tensors.',
  });
}

export function seedTargets(
  cotangents: Cotangents,
  targets: readonly Tensor[],
  reached: ReadonlySet<number>,
  outputGradients: GradientOptions['outputGradients'],
): void {
  const given =
    outputGradients === null || outputGradients === undefined
      ? []
      : ([outputGradients].flat() as (Tensor | null)[]);
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
    if (seed && !sameShape(seed.shape, target.shape)) {
      throw new ShapeError({
        op: 'gradient',
        rule: 'an output gradient has the shape of its target.',
        received: `${formatSpec(seed)} for a target ${formatSpec(target)}`,
        hint: 'reshape or broadcast it.',
      });
    }
    if (!isFloating(target.dtype) || !reached.has(target.id)) return;
    if (seed) cotangents.lend(target.id, seed);
    else cotangents.add(target.id, fill(target.shape, 1));
  });
}
