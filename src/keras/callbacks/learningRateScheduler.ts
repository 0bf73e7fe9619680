/** @file LearningRateScheduler: sets the learning rate at the beginning of each epoch. */
import { describe } from '../../core/shape.ts';
import { Callback, type Logs } from './callback.ts';
import { settableOptimizer } from './learningRate.ts';
import { byPosition, checkOptions } from '../../core/options.ts';
import { invalid, type Say, sayer, type VerboseOptions } from './callbackOptions.ts';

export interface LearningRateSchedulerOptions extends VerboseOptions {
  /** Returns the rate of an epoch, counted from 0; `learningRate` is the current rate. */
  schedule: (epoch: number, learningRate: number) => number;
}

/** Adds `learning_rate` to the logs of epochs. */
export class LearningRateScheduler extends Callback {
  readonly #schedule: LearningRateSchedulerOptions['schedule'];
  readonly #say: Say;

  /** Errors: ValueError for options. */
  constructor(options: LearningRateSchedulerOptions) {
    super();
    const op = 'learningRateScheduler';
    checkOptions(op, options, ['schedule', 'verbose', 'say']);
    if (typeof options.schedule !== 'function') {
      throw invalid(
        op,
        '`schedule` is a function of the epoch and the rate so far.',
        `schedule: ${describe(options.schedule)}`,
        'pass (epoch, learningRate) => learningRate * 0.9.',
      );
    }
    this.#schedule = options.schedule;
    this.#say = sayer(op, options);
  }

  /** Errors: ValueError for a model whose rate can't be set. */
  override onTrainBegin(): void {
    settableOptimizer('learningRateScheduler', this.model);
  }

  /** Errors: ValueError if the schedule does not return a valid rate. */
  override onEpochBegin(epoch: number): void {
    const optimizer = settableOptimizer('learningRateScheduler', this.model);
    const rate = this.#schedule(epoch, optimizer.learningRate);
    if (typeof rate !== 'number' || !Number.isFinite(rate) || rate < 0) {
      throw invalid(
        'learningRateScheduler',
        'the schedule gives a number of at least 0.',
        `${describe(rate)} for epoch ${epoch}`,
        'return the rate itself, not a tensor or a promise.',
      );
    }
    optimizer.learningRate = rate;
    this.#say(`Epoch ${epoch + 1}: LearningRateScheduler setting learning rate to ${rate}.`);
  }

  override onEpochEnd(_epoch: number, logs: Logs): void {
    logs.learning_rate = settableOptimizer('learningRateScheduler', this.model).learningRate;
  }
}

/** Sets the learning rate of each epoch: by a function, or by { schedule, verbose }. */
export function learningRateScheduler(
  options: LearningRateSchedulerOptions | LearningRateSchedulerOptions['schedule'],
): LearningRateScheduler;
export function learningRateScheduler(...args: unknown[]): LearningRateScheduler {
  return new LearningRateScheduler(
    byPosition('learningRateScheduler', args, ['schedule', 'verbose']) as never,
  );
}
