/**
 * @file Optimizers whose rule is the same for every value: one kernel does a step, for several variables at a time.
 */
import { accumulatorState, averageState } from '../../kernels/optimizerStep.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { Members, type StateSpec } from './fusedVariables.ts';
import { Optimizer } from './optimizer.ts';
import { Stepper, type StepSettings } from './fusedStepEngine.ts';

/** Base class of optimizers with a kernel made by `defineStep`. */
export abstract class FusedOptimizer extends Optimizer {
  /** The kernel, its variant and its own parameters; those that change are LiveNumbers, which `advance` sets. */
  protected abstract get settings(): StepSettings;

  /** The states beside each variable. Those of one list stand side by side in `variables`. */
  protected abstract get states(): readonly (readonly StateSpec[])[];

  protected override makeEngine({ variables, numbers, extras, isDecayed }: EngineParts): StepEngine {
    const passes: (readonly StateSpec[])[] = [
      ...(extras.useEma ? [[{ name: averageState }]] : []),
      ...(extras.accumulating ? [[{ name: accumulatorState }]] : []),
      ...this.states,
    ];
    const states = passes.flat().map(({ name, initial = 0 }) => ({
      initial,
      nameFor: (variable: { path: string }) => this.stateName(variable, name),
    }));
    const members = new Members(variables, states, extras.clipping, isDecayed);
    return new Stepper(members, passes, () => this.settings, numbers, extras);
  }
}
