/** @file tuning: how a device is tuned, as `init` takes it. */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import type { DeviceTuning } from '../webgpu/device.ts';
import { pageStore, type TuningStore } from './store.ts';
import { installTuner } from './tuner.ts';

export interface TuningOptions {
  /** Whether what calls ask and isn't known is measured behind them. Default false. */
  automatic?: boolean;
  /** Milliseconds that a call of `tune` may take, give or take a measurement. Default 2000. */
  budget?: number;
  /**
   * Where measurements lie between visits. Default: the page's own store, where the page may use it; null keeps them in
   * memory alone.
   */
  store?: TuningStore | null;
}

const names = ['automatic', 'budget', 'store'];

/**
 * How a device is tuned: `await init({ tuning: tuning() })` takes what earlier visits measured. Without it, and without a
 * call of `tune`, variants of kernels are guessed by sizes and the class of the adapter, and stay the same.
 * With `automatic`, `fit` waits after a step that asked something new until it is measured, so that a wrong guess costs one step;
 * elsewhere calls take the guess until then. Results may differ in their last bits from there on.
 * Errors: ValueError for options.
 */
export function tuning(options: TuningOptions = {}): DeviceTuning {
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
  const refuse = (rule: string, received: string, hint: string) => {
    throw new ValueError({ op: 'tuning', rule, received, hint });
  };
  if (typeof options !== 'object' || options === null) {
    refuse('options are an object.', describe(options), 'call tuning({ budget: 2000 }).');
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown)
    refuse(`options are ${names.join(', ')}.`, `\`${unknown}\``, 'leave it out, or correct its name.');
  const { automatic, budget, store } = options;
  if (automatic !== undefined && typeof automatic !== 'boolean') {
    refuse('`automatic` is true or false.', describe(automatic), 'pass one of the two.');
  }
  if (budget !== undefined && !(typeof budget === 'number' && budget >= 0)) {
    refuse('`budget` is a number of milliseconds.', describe(budget), 'pass a number of 0 or more.');
  }
  if (store === undefined || store === null) return;
  if (typeof store.read === 'function' && typeof store.write === 'function') return;
  refuse(
    '`store` reads and writes texts by name.',
    describe(store),
    'pass { read: (name) => …, write: (name, text) => … }, or null.',
  );
}
