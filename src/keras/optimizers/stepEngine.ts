/** @file StepEngine: updates the variables of an optimizer, by fused kernels or by ops. */
import type { DynamicScalar } from '../../webgpu/params.ts';
import type { Clipping } from '../../kernels/optimizers/optimizerStep.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { HostVariable } from './hostVariable.ts';

/** The parts of a step besides the update rule, depending on the optimizer's options. */
export interface StepExtras {
  readonly clipping: Clipping;
  readonly useEma: boolean;
  readonly accumulating: boolean;
  readonly scaled: boolean;
  readonly decayed: boolean;
}

/** Numbers of a step that all rules share. Those of type DynamicScalar change from step to step. */
export interface StepNumbers {
  readonly loss_scale: number;
  readonly accumulation_steps: number;
  readonly clip: number;
  /** 1 if the variables are updated, 0 if gradients are only accumulated. */
  readonly update: DynamicScalar;
  /** 1 if the variables are set to their moving averages. */
  readonly overwrite: DynamicScalar;
  /** Weight decay times the learning rate. */
  readonly decay: DynamicScalar;
  readonly average_momentum: DynamicScalar;
}

/** The arguments for creating an engine. */
export interface EngineParts {
  readonly variables: readonly Variable[];
  readonly numbers: StepNumbers;
  readonly extras: StepExtras;
  isDecayed(variable: Variable): boolean;
}

export interface StepEngine {
  /** The optimizer's state, in Keras's order. */
  readonly stateVariables: readonly (Variable | HostVariable)[];
  /** Whether the variables are packed as fused launches need them. */
  readonly isPacked: boolean;
  /** Packs them again. */
  repack(): void;
  /** One step. Variables without a gradient are left as they are. */
  run(gradients: ReadonlyMap<Variable, Tensor>): void;
  /** The moving average of `variable`; null without one. */
  averageOf(variable: Variable): Variable | null;
  /** Frees the state. */
  dispose(): void;
}
