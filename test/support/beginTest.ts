/** @file What every test starts from, alone or after others, in all engines. */
import { printed } from '../../src/core/warn.ts';
import { setRandomSeed } from '../../src/ops/define/seeds.ts';
import { runFinalizers } from './deferredFinalizers.ts';

/** Has a test draw the same values in every run, and frees what others dropped. */
export function beginTest(): void {
  setRandomSeed(0);
  runFinalizers();
  // A warning is printed once per process, and other tests may have met it.
  printed.clear();
}
