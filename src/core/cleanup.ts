/**
 * @file Cleanup that can fail, because it runs an app's code: a generator's `finally`, a callback's `release`. Unlike
 * `try … finally`:
 *
 * - every step runs, whatever the earlier ones threw;
 * - the first error is thrown, an error of the body before those of the steps;
 * - later errors are added to its `others` if it is a RetrogradError. An app's errors are not modified: later ones are
 *   printed by `console.warn`.
 */
import { addToMessage } from './errorMessage.ts';
import { DeviceLostError, RetrogradError } from './errors.ts';

type Step = () => void;
type AsyncStep = () => void | Promise<void>;

/** Runs `body`, then each of `steps`. Errors: the first that any of them throws. */
export function finishing<T>(body: () => T, ...steps: readonly Step[]): T {
  let result: T | undefined;
  const keepResult = () => {
    result = body();
  };
  runAll([keepResult, ...steps]);
  return result as T;
}

/** Runs each of `steps`. Errors: the first that any of them throws. */
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

/** Runs `steps` one after the other. Errors: the first that any of them throws. */
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

/** Steps that are collected while a body runs, and run after it in reverse order. */
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

  /** Runs `body`, then the steps, all of them synchronous. Errors: the first that any of them throws. */
  afterSync<T>(body: () => T): T {
    let result: T | undefined;
    const keepResult = () => {
      result = body();
    };
    runAll(this.#stepsAfter(keepResult));
    return result as T;
  }

  /** Runs `body`, then the steps, and waits for each. Errors: the first that any of them throws. */
  async after<T>(body: () => Promise<T>): Promise<T> {
    let result: T | undefined;
    const keepResult = async () => {
      result = await body();
    };
    await runAllAsync(this.#stepsAfter(keepResult));
    return result as T;
  }

  /** `body`, then the steps, including those added while it ran. */
  *#stepsAfter(body: AsyncStep): Generator<AsyncStep> {
    yield body;
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) yield step;
  }
}

/** Prints an error that can't be thrown, since another one is being thrown or nothing awaits it any more. */
export function warnOf(error: unknown): void {
  console.warn('retrograd: an error while cleaning up:', error);
}

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  const [first] = errors;
  const later = [...new Set(errors)].filter((error) => error !== first);
  // A lost device throws the same error object from everything that needs it, so don't attach others to it.
  if (first instanceof RetrogradError && !(first instanceof DeviceLostError)) attach(first, later);
  else for (const error of later) warnOf(error);
  throw first;
}

function attach(first: RetrogradError, later: readonly unknown[]): void {
  const errors = later.map((error) =>
    error instanceof Error ? error : new Error(String(error), { cause: error }),
  );
  first.others = [...first.others, ...errors];
  for (const { message } of errors)
    addToMessage(first, `\n  then, while cleaning up: ${message.split('\n')[0]}`);
}
