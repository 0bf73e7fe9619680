/** @file Options of a recording: which steps it holds, and what they change. */
import type { InspectOptions } from '../step/reportOptions.ts';
import type { Stateful } from './stateOf.ts';

/** Options of `recordSteps`. */
export interface RecordOptions extends InspectOptions {
  /** Steps between two checkpoints. A replay runs that many steps at most. Default 10. */
  checkpointEvery?: number;
  /** The least number of last steps that can be opened again. Default 100. */
  keep?: number;
  /** What the steps of a function change: variables, optimizers, layers. Models know it themselves. */
  state?: readonly Stateful[];
}
