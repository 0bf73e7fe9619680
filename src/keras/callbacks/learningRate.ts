/** @file Callbacks that set the learning rate: by a schedule of epochs, or when a value has stopped improving. */
import { Callback, type CallbackModel, type CallbackOptimizer, type Logs } from './callback.ts';
import { invalid, type Say, sayer, type VerboseOptions } from './callbackOptions.ts';
import { describe } from '../../core/shape.ts';
import { byPosition, checkOptions } from '../../core/options.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { callback, checked, factoryOf, integer, monitorTable, number } from './declare.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';

/** The optimizer, whose rate can be set. Errors: ValueError if there is none, or if a schedule sets the rate. */
function settableOptimizer(op: string, { name, optimizer }: CallbackModel): CallbackOptimizer {
  if (!optimizer) {
    throw invalid(
      op,
      'it sets the learning rate of the optimizer.',
      `'${name}', which has no optimizer`,
      "call compile({ optimizer: 'adam', … }) first.",
    );
  }
  if (!optimizer.schedule) return optimizer;
  throw invalid(
    op,
    'it sets the learning rate, so the optimizer must not have a schedule.',
    `optimizer '${optimizer.name}' with a schedule`,
    'create the optimizer with a number as learningRate.',
  );
}

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

export interface ReduceLROnPlateauOptions extends MonitorOptions, VerboseOptions {
  /** Factor by which the rate is multiplied, between 0 and 1. Default 0.1. */
  factor?: number;
  /** Epochs without improvement after which the rate is lowered. Default 10. */
  patience?: number;
  /** Epochs after a reduction that don't count. Default 0. */
  cooldown?: number;
  /** Lower bound of the rate. Default 0. */
  minLr?: number;
}

/** Adds `learning_rate` to the logs of epochs. */
export class ReduceLROnPlateau extends /* @__PURE__ */ callback<ReduceLROnPlateauOptions>(
  'reduceLROnPlateau',
  () => ({
    ...monitorTable(),
    factor: checked((op, what, value) => requireNumber(op, what, value, { above: 0, below: 1 }), 0.1),
    patience: integer({ min: 0, default: 10 }),
    cooldown: integer({ min: 0, default: 0 }),
    minLr: number({ min: 0, default: 0 }),
  }),
) {
  readonly #monitor: Monitor;
  readonly #say: Say;
  #wait = 0;
  #cooling = 0;

  /** Errors: ValueError for options. `minDelta` is 1e-4 by default. */
  constructor(options: ReduceLROnPlateauOptions = {}) {
    super(options);
    const { minDelta = 1e-4 } = options;
    this.#monitor = new Monitor('reduceLROnPlateau', { ...options, minDelta });
    this.#say = sayer('reduceLROnPlateau', options);
  }

  /** Errors: ValueError for a model whose rate can't be set. */
  override onTrainBegin(): void {
    settableOptimizer('reduceLROnPlateau', this.model);
    this.#monitor.reset();
    this.#wait = 0;
    this.#cooling = 0;
  }

  override onEpochEnd(epoch: number, logs: Logs): void {
    const optimizer = settableOptimizer('reduceLROnPlateau', this.model);
    const rate = optimizer.learningRate;
    const value = this.#monitor.read(logs, this.params);
    logs.learning_rate = rate;
    if (value === null) return;
    if (this.#cooling > 0) {
      this.#cooling--;
      this.#wait = 0;
    }
    if (this.#monitor.improves(value, this.#monitor.best, this.model)) {
      this.#monitor.best = value;
      this.#wait = 0;
      return;
    }
    if (this.#cooling > 0) return;
    this.#wait++;
    if (this.#wait < this.patience || rate <= Math.fround(this.minLr)) return;
    optimizer.learningRate = Math.max(rate * this.factor, this.minLr);
    this.#say(`Epoch ${epoch + 1}: ReduceLROnPlateau reducing learning rate to ${optimizer.learningRate}.`);
    this.#cooling = this.cooldown;
    this.#wait = 0;
  }
}

/** Lowers the learning rate when `monitor` hasn't improved for `patience` epochs. */
export const reduceLROnPlateau = /* @__PURE__ */ factoryOf(ReduceLROnPlateau, [
  'monitor',
  'factor',
  'patience',
]);
