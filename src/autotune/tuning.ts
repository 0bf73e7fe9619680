/** @file tuning: the option of `init` that turns on autotuning. */
import { ValueError } from '../core/errors.ts';
import { checkOptions } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import type { DeviceTuning } from '../webgpu/device.ts';
import { pageStore, type TuningStore } from './store.ts';
import { installTuner } from './tuner.ts';

export interface TuningOptions {
  /** Whether new problems are measured automatically, in the background. Default false. */
  automatic?: boolean;
  /** Milliseconds that a call of `tune` may take, plus at most one measurement. Default 2000. */
  budget?: number;
  /**
   * The store for measurements between visits. Default: the page's storage, if the page may use it. With null, they
   * are kept in memory only.
   */
  store?: TuningStore | null;
}

/**
 * Turns on autotuning: `await init({ tuning: tuning() })` uses the measurements of earlier visits. Without it, and without a
 * call of `tune`, algorithms are selected by sizes and the kind of adapter, and never change.
 * With `automatic`, `fit` waits after a step with new problems until they are measured, so that a bad selection costs only
 * one step; other calls launch the selected algorithm until then. Afterwards, results may differ in their last bits.
 * Errors: ValueError for options.
 */
export function tuning(options: TuningOptions = {}): DeviceTuning {
  checkOptions('tuning', options, ['automatic', 'budget', 'store']);
  check(options);
  const { automatic = false, budget = 2000, store = pageStore() } = options;
  return {
    async attach(device) {
      const tuner = installTuner(device);
      Object.assign(tuner.settings, { automatic, budget, store });
      await tuner.load();
    },
  };
}

function check(options: TuningOptions): void {
  const reject = (rule: string, received: string, hint: string) => {
    throw new ValueError({ op: 'tuning', rule, received, hint });
  };
  const { automatic, budget, store } = options;
  if (automatic !== undefined && typeof automatic !== 'boolean') {
    reject('`automatic` is true or false.', describe(automatic), 'pass one of the two.');
  }
  if (budget !== undefined && !(typeof budget === 'number' && budget >= 0)) {
    reject('`budget` is a number of milliseconds.', describe(budget), 'pass a number of 0 or more.');
  }
  if (store === undefined || store === null) return;
  if (typeof store.read === 'function' && typeof store.write === 'function') return;
  reject(
    '`store` reads and writes texts by name.',
    describe(store),
    'pass { read: (name) => …, write: (name, text) => … }, or null.',
  );
}
