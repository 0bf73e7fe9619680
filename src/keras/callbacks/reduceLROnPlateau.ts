/** @file ReduceLROnPlateau: lowers the learning rate when a value has stopped improving. */
import { requireNumber } from '../losses/lossChecks.ts';
import type { Logs } from './callback.ts';
import { callback, factoryOf, checked, integer, number, monitorTable } from './declare.ts';
import { settableOptimizer } from './learningRate.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';
import { type Say, sayer, type VerboseOptions } from './callbackOptions.ts';

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
