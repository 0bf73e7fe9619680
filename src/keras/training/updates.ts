/** @file Checks that the training steps of a model update something, since no metric reveals if they don't. */
import { ValueError } from '../../core/errors.ts';
import { warnOnce } from '../../core/warn.ts';
import type { Variable } from '../../tensor/variable.ts';
import {
  describeForeign,
  describeUntracked,
  namesOf,
  type UntrackedVariable,
  untrackedHint,
  untrackedVariablesIn,
} from '../layers/base/untrackedVariables.ts';
import { appliedSteps, isOptimized } from '../updateRecord.ts';

/** The parts of a model that are watched. */
export interface UpdatedModel {
  readonly name: string;
  readonly weights: readonly Variable[];
  readonly trainableWeights: readonly Variable[];
}

export class UpdateWatch {
  #seen = false;

  constructor(private readonly model: UpdatedModel) {}

  /** Runs `step`. Returns whether it, or an earlier step, updated weights; null for a step that created them. */
  during(step: () => void): boolean | null {
    if (this.#seen) {
      step();
      return true;
    }
    const before = new Map(this.#watched().map((weight) => [weight, weight.origin]));
    const steps = appliedSteps();
    this.#requireTracked(untrackedVariablesIn(step));
    const after = this.#watched();
    // Assigning a variable replaces its origin.
    this.#seen =
      appliedSteps() !== steps ||
      after.some((weight) => before.has(weight) && before.get(weight) !== weight.origin);
    return this.#seen || after.every((weight) => before.has(weight)) ? this.#seen : null;
  }

  /**
   * Errors: ValueError for trainable variables that layer calls read but the model doesn't have, unless something else trains
   * them. There is only a warning for variables used by functions of Lambdas, losses and regularizers, as in Keras, and for
   * layers that the step calls but the model doesn't have: they may be meant to stay unchanged.
   */
  #requireTracked(read: readonly UntrackedVariable[]): void {
    const own = new Set(this.model.weights);
    const untrained = read.filter(
      ({ variable, isAssigned }) => !own.has(variable) && !isAssigned() && !isOptimized(variable),
    );
    const foreign = new Set(untrained.flatMap(({ owner }) => owner ?? []));
    if (foreign.size > 0) warnOnce(describeForeign(this.model.name, [...foreign]));
    const untracked = untrained.filter(({ owner }) => owner === null);
    const inFunctions = untracked.filter(({ inFunction }) => inFunction);
    if (inFunctions.length > 0) warnOnce(describeUntracked(this.model.name, inFunctions));
    const others = untracked.filter(({ inFunction }) => !inFunction);
    if (others.length === 0) return;
    throw new ValueError({
      op: 'trainStep',
      rule: 'trainable variables of layers must be weights of the model: others are neither trained nor saved.',
      received: `${namesOf(others)}, which '${this.model.name}' doesn't have`,
      hint: untrackedHint,
    });
  }

  /** The steps of a frozen model may assign moving averages; for other models, those don't count. */
  #watched(): readonly Variable[] {
    const { trainableWeights, weights } = this.model;
    return trainableWeights.length > 0 ? trainableWeights : weights;
  }

  /** Errors: ValueError. */
  reject(): never {
    throw new ValueError({
      op: 'trainStep',
      rule: 'a training step must update weights.',
      received: `a \`trainStep\` of '${this.model.name}' that applied no gradient and assigned no weight`,
      hint: 'call this.optimizer.apply(tape.gradient(loss, this.trainableWeights)). The step is replayed as recorded: to update under a condition, compile with gradientAccumulationSteps or runEagerly.',
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
        : 'set `trainable` to true on the layers to train, or add adapters by enableLora if weights are in few bits, then call compile again. For the metrics of a frozen model call evaluate().',
  });
}
