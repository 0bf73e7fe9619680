/** @file Runs work of a model apart from what else is going on in the app. */
import { withRecorders } from '../../ops/recorders.ts';
import { outsideScopes } from '../../tensor/scope.ts';

/**
 * Runs `body` unseen by tapes and scopes that are open. Other tasks open theirs while a run waits: they would collect
 * what isn't theirs.
 */
export function apart<T>(body: () => T): T {
  return withRecorders([], () => outsideScopes(body));
}
