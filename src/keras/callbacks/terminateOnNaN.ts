/** @file TerminateOnNaN: ends training when the loss is NaN or infinite. */
import { NonFiniteError } from '../../core/errors.ts';
import { requireBoolean } from '../../core/shape.ts';
import { Callback, type Logs } from './callback.ts';
import { byPosition, checkOptions } from '../../core/options.ts';
import { type Say, sayer, type VerboseOptions } from './callbackOptions.ts';

export interface TerminateOnNaNOptions extends VerboseOptions {
  /** Whether `fit` rejects with an error instead of ending normally. Default false. */
  raiseError?: boolean;
  /**
   * Whether to wait for the loss of every batch. Default false: training continues while a loss is read, and ends within a
   * tenth of a second of the batch that diverged.
   */
  everyBatch?: boolean;
}

export class TerminateOnNaN extends Callback {
  override readonly readsBatchLogs: boolean | 'latest';
  readonly #raises: boolean;
  readonly #say: Say;

  /** Errors: ValueError for options. `verbose` is 1 by default. */
  constructor(options: TerminateOnNaNOptions = {}) {
    super();
    const op = 'terminateOnNaN';
    checkOptions(op, options, ['raiseError', 'everyBatch', 'verbose', 'say']);
    const { raiseError = false, everyBatch = false } = options;
    requireBoolean(op, 'raiseError', raiseError);
    requireBoolean(op, 'everyBatch', everyBatch);
    this.#raises = raiseError;
    this.readsBatchLogs = everyBatch ? true : 'latest';
    this.#say = sayer(op, { verbose: 1, ...options });
  }

  override onTrainBatchEnd(batch: number, logs: Logs): void {
    this.#check(logs, `Batch ${batch}`);
  }

  override onEpochEnd(epoch: number, logs: Logs): void {
    this.#check(logs, `Epoch ${epoch + 1}`);
  }

  #check({ loss }: Logs, where: string): void {
    if (loss === undefined || Number.isFinite(loss) || this.model.stopTraining) return;
    if (this.#raises) {
      throw new NonFiniteError({
        op: 'terminateOnNaN',
        rule: 'the loss is a finite number.',
        received: `loss: ${loss}. ${where}`,
        hint: 'lower the learning rate, clip gradients, or find the op by checkNumerics().',
        position: [],
        value: loss,
        inputs: [],
      });
    }
    this.#say(`${where}: Invalid loss, terminating training`);
    this.model.stopTraining = true;
  }
}

/** Ends training when the loss is NaN or infinite. */
export function terminateOnNaN(options?: TerminateOnNaNOptions): TerminateOnNaN;
export function terminateOnNaN(...args: unknown[]): TerminateOnNaN {
  return new TerminateOnNaN(byPosition('terminateOnNaN', args, []));
}
