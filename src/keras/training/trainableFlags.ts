/**
 * @file Records what was trainable when a model was compiled. As in Keras, `trainable` should be changed before `compile`.
 * Here, a later change takes effect at the next `fit`, but the optimizer may not know the weights.
 */
import { ValueError } from '../../core/errors.ts';
import type { Variable } from '../../tensor/variable.ts';

/** A layer or a weight. */
export interface Freezable {
  readonly name?: string | undefined;
  readonly trainable: boolean;
}

export interface FreezableModel {
  readonly name: string;
  readonly trainable: boolean;
  readonly weights: readonly Variable[];
  readonly layersInside: readonly Freezable[];
}

/** An optimizer, and the variables that were trainable when it was built. */
interface BuiltOptimizer {
  readonly built: boolean;
  readonly trainableVariables: readonly Variable[];
}

export class TrainableFlags {
  readonly #flags: ReadonlyMap<Freezable, boolean>;
  #isReported = false;

  constructor(private readonly model: FreezableModel) {
    this.#flags = new Map(partsOf(model).map((part) => [part, part.trainable]));
  }

  /** Warns, once, if flags have changed since. */
  warnOfChanges(): void {
    if (this.#isReported) return;
    const changed = partsOf(this.model).filter(
      (part) => this.#flags.has(part) && this.#flags.get(part) !== part.trainable,
    );
    if (changed.length === 0) return;
    this.#isReported = true;
    const inside = new Set(this.model.layersInside);
    const layers = changed.filter((part) => inside.has(part));
    const named = (layers.length > 0 ? layers : changed).map(({ name }) => `'${name}'`);
    const more = named.length > 3 ? ` and ${named.length - 3} more` : '';
    console.warn(
      `retrograd: \`trainable\` of ${named.slice(0, 3).join(', ')}${more} changed after '${this.model.name}' was compiled. ` +
        'Training uses the present values, and the optimizer keeps its state. In Keras it has no effect before the next ' +
        'compile: call compile again.',
    );
  }
}

/** Throws for weights that became trainable after `optimizer` was built. Errors: ValueError. */
export function requireKnownToOptimizer(
  op: string,
  { built, trainableVariables }: BuiltOptimizer,
  weights: readonly Variable[],
): void {
  if (!built) return;
  const known = new Set(trainableVariables);
  const unknown = weights.filter((weight) => !known.has(weight));
  if (unknown.length === 0) return;
  throw new ValueError({
    op,
    rule: 'an optimizer updates the weights that were trainable when it was built, at the first step.',
    received: `${unknown.length} ${unknown.length === 1 ? 'weight' : 'weights'} made trainable after that: ${unknown
      .slice(0, 3)
      .map(({ name }) => `'${name}'`)
      .join(', ')}`,
    hint: 'call compile again, with a new optimizer, after changing `trainable`.',
  });
}

function partsOf(model: FreezableModel): Freezable[] {
  return [...new Set<Freezable>([model, ...model.layersInside, ...model.weights])];
}
