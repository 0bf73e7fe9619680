/**
 * @file Cleaning up where it can fail, because an app's code takes part in it: a generator's `finally`, a callback's
 * `release`. Unlike `try … finally`:
 *
 * - every step runs, whatever the earlier ones threw;
 * - the first error of all is thrown, that of the body before those of the steps;
 * - later errors are added to its `others` where it is a RetrogradError. Errors of an app are not changed: later ones
 *   are printed by `console.warn`.
 */
import { DeviceLostError, RetrogradError } from './errors.ts';

type Step = () => void;
type AsyncStep = () => void | Promise<void>;

/** Runs `body`, then each of `steps`. Errors: the first of theirs. */
export function finishing<T>(body: () => T, ...steps: readonly Step[]): T {
  let result: T | undefined;
  const keepResult = () => {
    result = body();
  };
  runAll([keepResult, ...steps]);
  return result as T;
}

/** Runs each of `steps`. Errors: the first of theirs. */
export function runAll(steps: Iterable<Step>): void {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      errors.push(error);
    }
  }
  throwFirst(errors);
}

/** Runs each of `steps` once the one before it is done. Errors: the first of theirs. */
export async function runAllAsync(steps: Iterable<AsyncStep>): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  throwFirst(errors);
}

/** Steps that are collected while a body runs, and run after it, the last one first. */
export class Cleanup {
  readonly #steps: AsyncStep[] = [];

  defer(step: AsyncStep): void {
    this.#steps.push(step);
  }

  /** Disposes of `held` at the end. Returns it. */
  add<T extends { dispose(): void | Promise<void> }>(held: T): T {
    this.defer(() => held.dispose());
    return held;
  }

  /** Runs `body`, then the steps, all of them synchronous. Errors: the first of theirs. */
  afterSync<T>(body: () => T): T {
    let result: T | undefined;
    const keepResult = () => {
      result = body();
    };
    runAll(this.#stepsAfter(keepResult));
    return result as T;
  }

  /** Runs `body`, then the steps, and waits for each. Errors: the first of theirs. */
  async after<T>(body: () => Promise<T>): Promise<T> {
    let result: T | undefined;
    const keepResult = async () => {
      result = await body();
    };
    await runAllAsync(this.#stepsAfter(keepResult));
    return result as T;
  }

  /** `body` and the steps, those that it defers included. */
  *#stepsAfter(body: AsyncStep): Generator<AsyncStep> {
    yield body;
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) yield step;
  }
}

/** Prints an error that can't be thrown: another one is, or nothing awaits it any more. */
export function warnOf(error: unknown): void {
  console.warn('retrograd: an error while cleaning up:', error);
}

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  const [first] = errors;
  const later = [...new Set(errors)].filter((error) => error !== first);
  // The loss of a device is one error, thrown by everything that needs the device.
  if (first instanceof RetrogradError && !(first instanceof DeviceLostError)) attach(first, later);
  else for (const error of later) warnOf(error);
  throw first;
}

function attach(first: RetrogradError, later: readonly unknown[]): void {
  const errors = later.map((error) =>
    error instanceof Error ? error : new Error(String(error), { cause: error }),
  );
  first.others = [...first.others, ...errors];
  for (const { message } of errors) first.message += `\n  then, while cleaning up: ${message.split('\n')[0]}`;
}
