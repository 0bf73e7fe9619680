/** @file ReduceLROnPlateau: lowers the learning rate when a value has stopped improving. */
import { requireInteger } from '../../core/shape.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { Callback, type Logs } from './callback.ts';
import { settableOptimizer } from './learningRate.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';
import { byPosition, checkOptions, type Settings } from '../../core/options.ts';
import { type Say, sayer, type VerboseOptions } from './callbackOptions.ts';

/** Options of `reduceLROnPlateau`. */
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

const known = ['monitor', 'factor', 'patience', 'verbose', 'mode', 'minDelta', 'cooldown', 'minLr', 'say'];

/** Adds `learning_rate` to the logs of epochs. */
export class ReduceLROnPlateau extends Callback {
  readonly #monitor: Monitor;
  readonly #factor: number;
  readonly #patience: number;
  readonly #cooldown: number;
  readonly #minLr: number;
  readonly #say: Say;
  #wait = 0;
  #cooling = 0;

  /** Errors: ValueError for options. `minDelta` is 1e-4 by default. */
  constructor(options: ReduceLROnPlateauOptions = {}) {
    super();
    const op = 'reduceLROnPlateau';
    checkOptions(op, options, known);
    const { factor = 0.1, patience = 10, cooldown = 0, minLr = 0, minDelta = 1e-4 } = options;
    this.#monitor = new Monitor(op, { ...options, minDelta });
    requireNumber(op, 'factor', factor, { above: 0, below: 1 });
    requireInteger(op, 'patience', patience, 0);
    requireInteger(op, 'cooldown', cooldown, 0);
    requireNumber(op, 'minLr', minLr, { min: 0 });
    this.#factor = factor;
    this.#patience = patience;
    this.#cooldown = cooldown;
    this.#minLr = minLr;
    this.#say = sayer(op, options);
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
    if (this.#wait < this.#patience || rate <= Math.fround(this.#minLr)) return;
    optimizer.learningRate = Math.max(rate * this.#factor, this.#minLr);
    this.#say(`Epoch ${epoch + 1}: ReduceLROnPlateau reducing learning rate to ${optimizer.learningRate}.`);
    this.#cooling = this.#cooldown;
    this.#wait = 0;
  }
}

/** Lowers the learning rate when `monitor` hasn't improved for `patience` epochs. */
export function reduceLROnPlateau(
  ...settings: Settings<ReduceLROnPlateauOptions, ['monitor', 'factor', 'patience']>
): ReduceLROnPlateau;
export function reduceLROnPlateau(...args: unknown[]): ReduceLROnPlateau {
  return new ReduceLROnPlateau(byPosition('reduceLROnPlateau', args, ['monitor', 'factor', 'patience']));
}
