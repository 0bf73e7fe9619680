/**
 * @file Scopes: tensors made inside one are freed at its end, except those that leave it. A tensor knows its scope, so that leaving takes
 * the same time however many are open.
 */
import { requireFunction } from '../core/arguments.ts';
import { describe } from '../core/describe.ts';
import { RetrogradError, ValueError } from '../core/errors.ts';

/** What a scope frees: a tensor. */
export interface Scoped {
  dispose(): void;
  /**
   * Removes it from its scope. If it is then dropped, the finalizer frees it.
   * @internal
   */
  watchDrop(): void;
  /**
   * The members of its scope; null outside of scopes. Written by scopes only.
   * @internal
   */
  members: Set<Scoped> | null;
}

function enter(members: Set<Scoped>, tensor: Scoped): void {
  members.add(tensor);
  tensor.members = members;
}

/** Removes all tensors of a scope. Returns them. */
function release(members: Set<Scoped>): readonly Scoped[] {
  const released = [...members];
  for (const tensor of released) tensor.members = null;
  members.clear();
  return released;
}

/** Scopes that are collecting new tensors, innermost last. None of them is open across an `await`. */
let scopes: Set<Scoped>[] = [];

/** Adds a tensor to the innermost scope. Outside of scopes, its finalizer watches it instead. */
export function track(tensor: Scoped): void {
  const scope = scopes.at(-1);
  if (scope) enter(scope, tensor);
  else tensor.watchDrop();
}

/** Returns whether a scope is collecting new tensors. */
export function isCollecting(): boolean {
  return scopes.length > 0;
}

/** Removes a tensor from its scope, if it is in one. */
export function untrack(tensor: Scoped): void {
  tensor.members?.delete(tensor);
  tensor.members = null;
}

/** Removes `tensor` from every scope: it lives until it is disposed of. Returns it. */
export function keep<T extends Scoped>(tensor: T): T {
  if (typeof (tensor as Partial<Scoped> | null)?.watchDrop !== 'function') throw notKept(tensor);
  untrack(tensor);
  tensor.watchDrop();
  return tensor;
}

/** Runs `body` with `resource`, then disposes of it: like `using`, for engines that lack it. */
export function disposing<R extends { dispose(): void } | null, T>(resource: R, body: (resource: R) => T): T {
  try {
    return body(resource);
  } finally {
    resource?.dispose();
  }
}

/**
 * Runs `body` and frees the tensors that it made, except those in its result (in arrays and plain objects, at any
 * depth), which pass to the enclosing scope, and those that were kept.
 * Errors: RetrogradError if `body` is async: tensors made after an await would belong to no scope.
 */
export function tidy<T>(body: () => T): T {
  requireFunction('tidy', 'body', body);
  return inScope(body);
}

/** Does what `tidy` does, for a function of the library. */
export function inScope<T>(body: () => T): T {
  const scope = new Set<Scoped>();
  scopes.push(scope);
  let result: T;
  try {
    result = body();
    requireSync('tidy', result);
  } catch (error) {
    closeScope(scope, undefined);
    throw error;
  }
  closeScope(scope, result);
  return result;
}

function requireSync(op: string, result: unknown): void {
  if (!isPromise(result)) return;
  throw new RetrogradError({
    op,
    rule: `${op} takes a synchronous function.`,
    received: 'a function that returned a Promise',
    hint: 'await before or after the scope, or hold single tensors by `using`.',
  });
}

/** Whether `value` is a Promise. A Proxy may throw when it is asked. */
export function isPromise(value: unknown): boolean {
  try {
    return value instanceof Promise;
  } catch {
    return false;
  }
}

function notKept(given: unknown): ValueError {
  return new ValueError({
    op: 'keep',
    rule: 'it keeps a tensor.',
    received: describe(given),
    hint: 'keep each tensor of a list on its own.',
  });
}

function close(scope: Set<Scoped>): void {
  if (scopes.at(-1) === scope) scopes.pop();
  else scopes.splice(scopes.lastIndexOf(scope), 1);
}

function closeScope(scope: Set<Scoped>, result: unknown): void {
  close(scope);
  if (scope.size === 0) return;
  // Fast path, as after most ops: one tensor was made, and it is the result.
  if (scope.size === 1 && scope.has(result as Scoped)) {
    untrack(result as Scoped);
    track(result as Scoped);
    return;
  }
  const leaving = new Set<unknown>();
  collectTensors(result, leaving);
  for (const tensor of release(scope)) {
    if (leaving.has(tensor)) track(tensor);
    else tensor.dispose();
  }
}

/**
 * Collects all values in `result`; tensors are recognized later, by membership in the scope. Without recursion, since
 * the result may be nested to any depth.
 */
function collectTensors(result: unknown, into: Set<unknown>): void {
  const open = [result];
  while (open.length > 0) {
    const value = open.pop();
    // A function may be disposable and hold tensors, such as a pullback.
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || into.has(value))
      continue;
    into.add(value);
    for (const item of itemsIn(value)) open.push(item);
  }
}

/** Returns what is in an array or a plain object, whose keys may be symbols. Nothing for what can't be read, such as a Proxy that throws. */
function itemsIn(value: object): readonly unknown[] {
  try {
    if (Array.isArray(value)) return value;
    if (!isPlainObject(value)) return [];
    const symbols = Object.getOwnPropertySymbols(value);
    const items = Object.values(value);
    for (const symbol of symbols) items.push(value[symbol as never]);
    return items;
  } catch {
    return [];
  }
}

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Runs `body` outside of all scopes: tensors it makes live until they are disposed of or garbage-collected. */
export function outsideScopes<T>(body: () => T): T {
  const before = scopes;
  scopes = [];
  try {
    return body();
  } finally {
    scopes = before;
  }
}

/** Runs `body` outside of all scopes, and returns the tensors that it made and left. If it fails, they are freed. */
export function collecting(body: () => void): readonly Scoped[] {
  const made = new Set<Scoped>();
  const before = scopes;
  scopes = [made];
  try {
    body();
  } catch (error) {
    for (const tensor of release(made)) tensor.dispose();
    throw error;
  } finally {
    scopes = before;
  }
  return release(made);
}

/**
 * Opens a scope for `using`: tensors made while it is open are freed when it ends.
 *
 *     using step = scope();
 *     const loss = step.keep(mean(square(x)));
 *
 * Other code may run while you await something, and JavaScript can't tell which code made a tensor. A scope that is open
 * across an `await` therefore frees only what it was given, by `run` or `track`; the garbage collector frees the rest.
 *
 *     using epoch = scope();
 *     const loss = epoch.run(() => mean(square(x)));
 *     console.log(await loss.item());
 */
export function scope(): Scope {
  return new Scope();
}

/** The return type of `scope`. */
export class Scope {
  /** Made while it was open, before anything could be awaited. */
  readonly #made = new Set<Scoped>();
  /** Added by `run` or `track`: these belong to it even across an `await`. */
  readonly #own = new Set<Scoped>();

  constructor() {
    scopes.push(this.#made);
    // This microtask runs before any `await` that follows resumes: a scope closed by then was not open across one.
    queueMicrotask(() => this.#leave());
  }

  /** Runs `body`; what it makes, its result included, is freed when this scope ends. Errors: as for `tidy`. */
  run<T>(body: () => T): T {
    const made = new Set<Scoped>();
    scopes.push(made);
    try {
      const result = body();
      requireSync('scope.run', result);
      return result;
    } finally {
      close(made);
      for (const tensor of release(made)) enter(this.#own, tensor);
    }
  }

  /** Takes ownership of `tensor`: it is freed when this scope ends. Returns it. */
  track<T extends Scoped>(tensor: T): T {
    untrack(tensor);
    enter(this.#own, tensor);
    return tensor;
  }

  /** Removes `tensor` from this scope. Returns it. */
  keep<T extends Scoped>(tensor: T): T {
    return keep(tensor);
  }

  [Symbol.dispose](): void {
    if (scopes.includes(this.#made)) closeScope(this.#made, undefined);
    for (const tensor of release(this.#own)) tensor.dispose();
  }

  /** Stops collecting. What was made so far may belong to other code, so the garbage collector frees it. */
  #leave(): void {
    if (!scopes.includes(this.#made)) return;
    close(this.#made);
    for (const tensor of release(this.#made)) tensor.watchDrop();
  }
}
