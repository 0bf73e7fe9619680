/** @file Options of a recording: which steps it holds, and what they change. */
import type { InspectOptions } from '../step/reportOptions.ts';
import type { Stateful } from './stateOf.ts';

/** Options of `recordSteps`. */
export interface RecordOptions extends InspectOptions {
  /** Steps between two checkpoints. A replay runs that many steps at most. Default 10. */
  checkpointEvery?: number;
  /** Steps that can be opened again: the last ones, at least so many. Default 100. */
  keep?: number;
  /** What the steps of a function change: variables, optimizers, layers. Models know it themselves. */
  state?: readonly Stateful[];
}
