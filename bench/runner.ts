/** @file The page that scripts/bench.mjs drives: no view, one object to call. */
import * as bench from './main.ts';

declare global {
  var retrogradBench: typeof bench | undefined;
}

globalThis.retrogradBench = bench;
