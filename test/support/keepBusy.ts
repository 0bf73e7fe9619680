/** @file Gives the current device work, so that the calls that follow wait for it: an idle device gets each call at once. */
import { add, tidy } from '../../src/index.ts';

/** The calls up to the next `await` then share submissions. */
export function keepBusy(): void {
  tidy(() => void add(1, 1));
}
