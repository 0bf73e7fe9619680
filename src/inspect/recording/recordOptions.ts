/** @file Options of a recording: which steps it keeps, and the state that they change. */
import type { InspectOptions } from '../step/reportOptions.ts';
import type { Stateful } from './stateOf.ts';

/** Options of `recordSteps`. */
export interface RecordOptions extends InspectOptions {
  /** Number of steps between two checkpoints, and thus the maximum number of steps that a replay runs. Default 10. */
  checkpointEvery?: number;
  /** The smallest number of recent steps that can be opened again. Default 100. */
  keep?: number;
  /** The state that the steps of a function change: variables, optimizers, layers. Not needed for models. */
  state?: readonly Stateful[];
}
