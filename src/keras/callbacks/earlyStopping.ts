/** @file EarlyStopping: ends training when a value has stopped improving. */
import { requireBoolean, requireInteger } from '../../core/shape.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { Callback, type Logs } from './callback.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';
import { byPosition, checkOptions, type Settings } from '../../core/options.ts';
import { type Say, sayer, type VerboseOptions } from './callbackOptions.ts';
import { Snapshot } from '../../tensor/snapshot.ts';

/** Options of `earlyStopping`. */
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

const known = [
  'monitor',
  'minDelta',
  'patience',
  'verbose',
  'mode',
  'baseline',
  'restoreBestWeights',
  'startFromEpoch',
  'say',
];

/** The class of callbacks created by `earlyStopping`, which documents options and errors. */
export class EarlyStopping extends Callback {
  /** The epoch after which training was ended; null if it wasn't. */
  stoppedEpoch: number | null = null;
  /** The epoch with the best value so far. */
  bestEpoch = 0;
  readonly #monitor: Monitor;
  readonly #patience: number;
  readonly #baseline: number | null;
  readonly #restores: boolean;
  readonly #start: number;
  readonly #say: Say;
  readonly #best = new Snapshot();
  #wait = 0;

  /** Errors: ValueError for options. */
  constructor(options: EarlyStoppingOptions = {}) {
    super();
    const op = 'earlyStopping';
    checkOptions(op, options, known);
    const { patience = 0, baseline = null, restoreBestWeights = false, startFromEpoch = 0 } = options;
    this.#monitor = new Monitor(op, options);
    requireInteger(op, 'patience', patience, 0);
    if (baseline !== null) requireNumber(op, 'baseline', baseline);
    requireBoolean(op, 'restoreBestWeights', restoreBestWeights);
    requireInteger(op, 'startFromEpoch', startFromEpoch, 0);
    this.#patience = patience;
    this.#baseline = baseline;
    this.#restores = restoreBestWeights;
    this.#start = startFromEpoch;
    this.#say = sayer(op, options);
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
    if (value === null || epoch < this.#start) return;
    if (this.#restores && this.#best.empty) this.#keep(epoch);
    this.#wait++;
    if (this.#monitor.improves(value, this.#monitor.best, this.model)) {
      this.#monitor.best = value;
      this.#keep(epoch);
      // Beating the baseline also resets the patience.
      if (this.#baseline === null || this.#monitor.improves(value, this.#baseline, this.model))
        this.#wait = 0;
      return;
    }
    if (this.#wait < this.#patience || epoch === 0) return;
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
    if (this.#restores) this.#best.take(this.model.weights);
  }
}

/** Ends training when `monitor` hasn't improved for `patience` epochs. */
export function earlyStopping(
  ...settings: Settings<EarlyStoppingOptions, ['monitor', 'minDelta', 'patience']>
): EarlyStopping;
export function earlyStopping(...args: unknown[]): EarlyStopping {
  return new EarlyStopping(byPosition('earlyStopping', args, ['monitor', 'minDelta', 'patience']));
}
