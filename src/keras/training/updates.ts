/** @file Whether the training steps of a model update anything. A step that doesn't is a mistake that no number shows. */
import { ValueError } from '../../core/errors.ts';
import { warnOnce } from '../../core/warn.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { appliedSteps } from '../optimizers/appliedSteps.ts';

/** What is watched of a model. */
export interface UpdatedModel {
  readonly name: string;
  readonly weights: readonly Variable[];
  readonly trainableWeights: readonly Variable[];
}

export class UpdateWatch {
  #seen = false;

  constructor(private readonly model: UpdatedModel) {}

  /** Runs `step`. Returns whether it, or a step before, updated weights; null for a step that created them. */
  during(step: () => void): boolean | null {
    if (this.#seen) {
      step();
      return true;
    }
    const before = new Map(this.#watched().map((weight) => [weight, weight.origin]));
    const steps = appliedSteps();
    step();
    const after = this.#watched();
    // Assigning a variable replaces its origin.
    this.#seen =
      appliedSteps() !== steps ||
      after.some((weight) => before.has(weight) && before.get(weight) !== weight.origin);
    return this.#seen || after.every((weight) => before.has(weight)) ? this.#seen : null;
  }

  /** A frozen model may have moving averages that its steps assign; for others, those don't count. */
  #watched(): readonly Variable[] {
    const { trainableWeights, weights } = this.model;
    return trainableWeights.length > 0 ? trainableWeights : weights;
  }

  /** Errors: ValueError. */
  refuse(): never {
    throw new ValueError({
      op: 'trainStep',
      rule: 'a training step must update weights.',
      received: `a \`trainStep\` of '${this.model.name}' that applied no gradient and assigned no weight`,
      hint: 'call this.optimizer.apply(tape.gradient(loss, this.trainableWeights)). The step is recorded once and replayed, so a condition that skips the update is skipped for good: use gradientAccumulationSteps, or compile({ runEagerly: true }).',
    });
  }
}

/** Errors: ValueError for a model whose weights are all frozen, or that has none. */
export function requireTrainable({ name, weights, trainableWeights }: UpdatedModel): void {
  if (trainableWeights.length > 0) return;
  throw new ValueError({
    op: 'trainStep',
    rule: 'a model that is trained must have trainable weights.',
    received: `'${name}' with ${weights.length === 0 ? 'no weights' : `${weights.length} weights, none of them trainable`}`,
    hint:
      weights.length === 0
        ? 'keep layers in public properties of the model (#private fields are not searched), or compute its metrics by evaluate().'
        : 'set `trainable` to true on the layers to train, then call compile again. For the metrics of a frozen model call evaluate().',
  });
}

/** Warns of trainable variables among `watched`, what the call of `model` used, that aren't weights of the model. */
export function warnOfStrays({ name, weights }: UpdatedModel, watched: readonly Tensor[]): void {
  const own = new Set<Tensor>(weights);
  const strays = watched.filter((tensor) => tensor instanceof Variable && !own.has(tensor));
  if (strays.length === 0) return;
  const names = strays.map((variable) => `'${variable.name}'`).join(', ');
  warnOnce(
    `'${name}' computes with trainable variables that it doesn't have: ${names}. They are neither trained nor saved. Create ` +
      'them by addWeight, or keep them in public properties of a layer (#private fields are not searched).',
  );
}
