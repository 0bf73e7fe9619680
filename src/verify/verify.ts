/** @file verify: checks whether every kernel variant that may be chosen computes correct values on this device. */
import { checkSignal } from '../core/abortSignal.ts';
import { ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import { getDevice } from '../webgpu/current.ts';
import type { TuningStore } from '../autotune/store.ts';
import { tunerOf } from '../autotune/tuner.ts';
import type { VerificationProgress, VerificationReport } from './report.ts';

export interface VerifyOptions {
  /** Checks only variants whose names match, such as /^gemm: /. Default: all. */
  only?: RegExp;
  /** Called before each check, and at the end. */
  onProgress?: (progress: VerificationProgress) => void;
  /** Aborts between checks: the promise rejects with the signal's reason. Variants found wrong by then are avoided. */
  signal?: AbortSignal;
  /** The store for the names of wrong variants between visits. Default: that of `tuning`. Null: none. */
  store?: TuningStore | null;
}

const optionNames: OptionNames<VerifyOptions> = {
  only: false,
  onProgress: false,
  signal: false,
  store: false,
};

/**
 * Runs every kernel variant that may be chosen on the current device, forward and gradient, several times each with fresh and
 * with reused buffers, and compares with float64 on the CPU. A wrong variant isn't launched on this device again, neither now
 * nor in later visits with `init({ tuning: tuning() })`, which reads the store. Takes seconds on a GPU, a minute or two on a
 * software adapter.
 *
 *     const report = await verify({ onProgress: ({ done, total }) => { bar.value = done / total; } });
 *     console.log(String(report));
 *
 * Errors: ValueError for options; DeviceError before `init()`, or if its code can't be loaded; DeviceLostError if a variant
 * loses the device; that variant is then avoided, too.
 */
export async function verify(options: VerifyOptions = {}): Promise<VerificationReport> {
  checkOptions('verify', options, optionNames);
  const { only, onProgress, signal } = options;
  if (only !== undefined && !(only instanceof RegExp)) throw notPattern(only);
  const device = getDevice();
  const { store = tunerOf(device).settings.store } = options;
  checkSignal('verify', signal);
  const { runVerification } = await import('./run.ts');
  return runVerification(device, { store, only: only ?? null, signal, onProgress });
}

function notPattern(received: unknown): ValueError {
  return new ValueError({
    op: 'verify',
    rule: '`only` is a regular expression for names of variants.',
    received: describe(received),
    hint: 'pass one such as /^gemm: /, or leave it out.',
  });
}
