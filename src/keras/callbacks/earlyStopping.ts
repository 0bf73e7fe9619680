/** @file EarlyStopping: ends training when a value has stopped improving. */
import type { Logs } from './callback.ts';
import { callback, factoryOf, flag, integer, number, monitorTable } from './declare.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';
import { type Say, sayer, type VerboseOptions } from './callbackOptions.ts';
import { Snapshot } from '../../tensor/snapshot.ts';

export interface EarlyStoppingOptions extends MonitorOptions, VerboseOptions {
  /** Epochs without improvement after which training ends. Default 0. */
  patience?: number;
  /** A value that has to be beaten. Default: none. */
  baseline?: number | null;
  /** Whether to restore the weights of the best epoch at the end. Default false: those of the last epoch are kept. */
  restoreBestWeights?: boolean;
  /** Number of first epochs to ignore. Default 0. */
  startFromEpoch?: number;
}

export class EarlyStopping extends /* @__PURE__ */ callback<EarlyStoppingOptions>('earlyStopping', () => ({
  ...monitorTable(),
  patience: integer({ min: 0, default: 0 }),
  baseline: number({ default: null }),
  restoreBestWeights: flag(false),
  startFromEpoch: integer({ min: 0, default: 0 }),
})) {
  /** The epoch after which training was ended; null if it wasn't. */
  stoppedEpoch: number | null = null;
  /** The epoch with the best value so far. */
  bestEpoch = 0;
  readonly #monitor: Monitor;
  readonly #say: Say;
  readonly #best = new Snapshot();
  #wait = 0;

  /** Errors: ValueError for options. */
  constructor(options: EarlyStoppingOptions = {}) {
    super(options);
    this.#monitor = new Monitor('earlyStopping', options);
    this.#say = sayer('earlyStopping', options);
  }

  /** The best value so far; null before the first. */
  get best(): number | null {
    return this.#monitor.best;
  }

  override onTrainBegin(): void {
    this.#monitor.reset();
    this.#best.dispose();
    this.#wait = 0;
    this.stoppedEpoch = null;
    this.bestEpoch = 0;
  }

  override onEpochEnd(epoch: number, logs: Logs): void {
    const value = this.#monitor.read(logs, this.params);
    if (value === null || epoch < this.startFromEpoch) return;
    if (this.restoreBestWeights && this.#best.empty) this.#keep(epoch);
    this.#wait++;
    if (this.#monitor.improves(value, this.#monitor.best, this.model)) {
      this.#monitor.best = value;
      this.#keep(epoch);
      // Beating the baseline also resets the patience.
      if (this.baseline === null || this.#monitor.improves(value, this.baseline, this.model)) this.#wait = 0;
      return;
    }
    if (this.#wait < this.patience || epoch === 0) return;
    this.stoppedEpoch = epoch;
    this.model.stopTraining = true;
  }

  override onTrainEnd(): void {
    if (this.stoppedEpoch !== null) this.#say(`Epoch ${this.stoppedEpoch + 1}: early stopping`);
    if (this.#best.empty) return;
    this.#say(`Restoring model weights from the end of the best epoch: ${this.bestEpoch + 1}.`);
    this.#best.restore();
  }

  override release(): void {
    this.#best.dispose();
  }

  #keep(epoch: number): void {
    this.bestEpoch = epoch;
    if (this.restoreBestWeights) this.#best.take(this.model.weights);
  }
}

/** Ends training when `monitor` hasn't improved for `patience` epochs. */
export const earlyStopping = /* @__PURE__ */ factoryOf(EarlyStopping, ['monitor', 'minDelta', 'patience']);
