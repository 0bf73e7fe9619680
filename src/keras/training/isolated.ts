/** @file Isolates a model's work from tapes and scopes that the app has open. */
import { unrecorded } from '../../ops/define/recorders.ts';
import { outsideScopes } from '../../tensor/scope.ts';

/**
 * Runs `body` hidden from open tapes and scopes. While a run waits, other tasks may open theirs, which must not collect the
 * run's tensors.
 */
export function isolated<T>(body: () => T): T {
  return unrecorded(() => outsideScopes(body));
}
