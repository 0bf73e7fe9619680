/** @file Fused optimizers: the update rule is elementwise, and one kernel updates several variables per launch. */
import type { Pieces } from '../../core/pieces.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { accumulatorState, averageState } from '../../kernels/optimizers/optimizerStep.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { FusedVariables, type SlotSpec } from './fusedVariables.ts';
import { Optimizer } from './optimizer.ts';
import { FusedStepEngine, type StepSettings } from './fusedStepEngine.ts';

/** Base class of optimizers with a kernel made by `defineStep`. */
export abstract class FusedOptimizer extends Optimizer {
  /** The learning rate of the step, a parameter of most kernels. */
  protected readonly rate: DynamicScalar = new DynamicScalar(0);

  /** The kernel, its variant and its parameters. Parameters that change per step are DynamicScalars set by `advance`. */
  protected abstract get settings(): StepSettings;

  /** The slot variables, in the groups in which `variables` lists them. */
  protected abstract get states(): readonly (readonly SlotSpec[])[];

  protected override advance(_step: number, rate: number): void {
    this.rate.value = rate;
  }

  protected override *makeEngine({ variables, numbers, extras, isDecayed }: EngineParts): Pieces<StepEngine> {
    const groups: (readonly SlotSpec[])[] = [
      ...(extras.useEma ? [[{ name: averageState }]] : []),
      ...(extras.accumulating ? [[{ name: accumulatorState }]] : []),
      ...this.states,
    ];
    const slots = groups.flat().map(({ name, initial = 0 }) => ({
      initial,
      nameFor: (variable: { path: string }) => this.slotName(variable, name),
    }));
    const fused = yield* FusedVariables.create(variables, slots, extras.clipping, isDecayed);
    return new FusedStepEngine(fused, groups, () => this.settings, numbers, extras);
  }
}

/** Base class of fused optimizers that divide gradients by a norm of past ones: they square each slice of a gradient. */
export abstract class AdaptiveOptimizer extends FusedOptimizer {
  override get readsSlices(): boolean {
    return true;
  }
}
