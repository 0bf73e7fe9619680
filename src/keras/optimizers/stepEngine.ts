/** @file What moves the variables of an optimizer: launches of a fused kernel, or ops. */
import type { DynamicScalar } from '../../webgpu/params.ts';
import type { Clipping } from '../../kernels/optimizerStep.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { HostVariable } from './hostVariable.ts';

/** What comes around the rule of an optimizer, by its options. */
export interface StepExtras {
  readonly clipping: Clipping;
  readonly useEma: boolean;
  readonly accumulating: boolean;
  readonly scaled: boolean;
  readonly decayed: boolean;
}

/** Numbers of a step that all rules share. Live ones change from step to step. */
export interface StepNumbers {
  readonly loss_scale: number;
  readonly accumulation_steps: number;
  readonly clip: number;
  /** 1 where the variables move, 0 where gradients are only added up. */
  readonly update: DynamicScalar;
  /** 1 where the variables take the values of their averages. */
  readonly overwrite: DynamicScalar;
  /** Share of the values that decays. */
  readonly decay: DynamicScalar;
  readonly average_momentum: DynamicScalar;
}

/** What an engine is made of. */
export interface EngineParts {
  readonly variables: readonly Variable[];
  readonly numbers: StepNumbers;
  readonly extras: StepExtras;
  isDecayed(variable: Variable): boolean;
}

export interface StepEngine {
  /** The states, in Keras's order. */
  readonly stateVariables: readonly (Variable | HostVariable)[];
  /** Whether the variables lie where launches find them together. */
  readonly settled: boolean;
  /** Brings them there. */
  settle(): void;
  /** One step, by the gradients that there are. */
  run(gradients: ReadonlyMap<Variable, Tensor>): void;
  /** `variables` take the values of their running averages. */
  takeAverages(variables: readonly Variable[]): void;
  /** Frees the states. */
  dispose(): void;
}
