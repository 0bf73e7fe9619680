/** @file The page that scripts/bench.mjs drives: no view, just one object with functions to call. */
import * as bench from './main.ts';

declare global {
  var retrogradBench: typeof bench | undefined;
}

globalThis.retrogradBench = bench;
