/**
 * @file Scopes: tensors made inside one are freed at its end, but for those that leave it.
 */
import { requireFunction } from '../core/arguments.ts';
import { describe } from '../core/describe.ts';
import { RetrogradError, ValueError } from '../core/errors.ts';
import type { Tensor } from './tensor.ts';

const scopes: Set<Tensor>[] = [];

/** Notes a tensor in the innermost scope. One that is in none is watched by the garbage collector's side. */
export function track(tensor: Tensor): void {
  const scope = scopes.at(-1);
  if (scope) scope.add(tensor);
  else tensor.watchDrop();
}

/** Forgets a tensor that was disposed of. */
export function untrack(tensor: Tensor): void {
  for (let i = scopes.length - 1; i >= 0; i--) if (scopes[i]?.delete(tensor)) return;
}

/** Takes `tensor` out of every scope: it lives until it is disposed of. Returns it. */
export function keep<T extends Tensor>(tensor: T): T {
  if (typeof (tensor as Partial<Tensor> | null)?.watchDrop !== 'function') throw notKept(tensor);
  untrack(tensor);
  tensor.watchDrop();
  return tensor;
}

/** Runs `body` with `resource`, which is disposed of at its end: what `using` says, for engines that lack it. */
export function disposing<R extends { dispose(): void } | null, T>(resource: R, body: (resource: R) => T): T {
  try {
    return body(resource);
  } finally {
    resource?.dispose();
  }
}

/**
 * Runs `body` and frees the tensors that it made, but for those in its result (found in arrays and plain objects,
 * at any depth), which pass to the scope outside, and those that were kept.
 * Errors: RetrogradError where `body` is async: tensors made after an await would belong to no scope.
 */
export function tidy<T>(body: () => T): T {
  requireFunction('tidy', 'body', body);
  const scope = new Set<Tensor>();
  scopes.push(scope);
  let result: T;
  try {
    result = body();
  } catch (error) {
    closeScope(scope, undefined);
    throw error;
  }
  if (result instanceof Promise) {
    closeScope(scope, undefined);
    throw new RetrogradError({
      op: 'tidy',
      rule: 'tidy takes a synchronous function.',
      received: 'a function that returned a Promise',
      hint: 'await before or after the scope, or hold single tensors by `using`.',
    });
  }
  closeScope(scope, result);
  return result;
}

function notKept(given: unknown): ValueError {
  return new ValueError({
    op: 'keep',
    rule: 'it keeps a tensor.',
    received: describe(given),
    hint: 'keep each tensor of a list on its own.',
  });
}

function closeScope(scope: Set<Tensor>, result: unknown): void {
  scopes.splice(scopes.lastIndexOf(scope), 1);
  // As after most ops: one tensor was made, and it is the result.
  if (scope.size === 1 && scope.has(result as Tensor)) {
    track(result as Tensor);
    return;
  }
  const leaving = new Set<unknown>();
  collectTensors(result, leaving);
  for (const tensor of scope) {
    if (leaving.has(tensor)) track(tensor);
    else tensor.dispose();
  }
}

/**
 * Anything disposable counts as a leaf here: tensors are told by membership in the scope. Without recursion: what a
 * function returns may be of any depth.
 */
function collectTensors(result: unknown, into: Set<unknown>): void {
  const open = [result];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || into.has(value)) continue;
    into.add(value);
    if (Array.isArray(value) || isPlainObject(value))
      for (const item of Object.values(value)) open.push(item);
  }
}

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * A scope for `using`: tensors made while it is open are freed when it ends.
 *
 *     using step = scope();
 *     const loss = step.keep(mean(square(x)));
 */
export function scope(): Scope {
  return new Scope();
}

export class Scope {
  readonly #tensors = new Set<Tensor>();

  constructor() {
    scopes.push(this.#tensors);
  }

  /** Takes `tensor` out of this scope. Returns it. */
  keep<T extends Tensor>(tensor: T): T {
    return keep(tensor);
  }

  [Symbol.dispose](): void {
    if (scopes.includes(this.#tensors)) closeScope(this.#tensors, undefined);
  }
}
