/**
 * @file The steps of a dataset, as generators. A tensor of an element belongs to the code that takes the element: a step frees those
 * that it doesn't pass on.
 */
import { generator } from '../core/permutation.ts';
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { collecting, isPromise } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { freeElement } from './element.ts';

export type Elements<T> = AsyncIterable<T>;

/** Applies `fn` to each element, to up to `parallel` of them at a time. */
export async function* mapped<T, R>(
  elements: Elements<T>,
  fn: (element: T) => R | Promise<R>,
  parallel: number,
): AsyncGenerator<R> {
  const pending: Promise<R>[] = [];
  try {
    for await (const element of elements) {
      const result = applied(fn, element);
      if (parallel === 1) yield await result;
      else pending.push(settled(result));
      if (pending.length === parallel) yield await (pending.shift() as Promise<R>);
    }
    for (let next = pending.shift(); next; next = pending.shift()) yield await next;
  } finally {
    await freePending(pending);
  }
}

/** A promise whose rejection is handled where it is awaited. */
function settled<R>(result: R | Promise<R>): Promise<R> {
  const promise = Promise.resolve(result);
  promise.catch(() => {});
  return promise;
}

/** Returns fn(element), and frees the element and what a synchronous `fn` made, except what is in its result. */
function applied<T, R>(fn: (element: T) => R | Promise<R>, element: T): R | Promise<R> {
  let result: R | Promise<R> | undefined;
  let made: readonly unknown[];
  try {
    made = collecting(() => {
      result = fn(element);
    });
  } catch (error) {
    freeElement(element);
    throw error;
  }
  if (!isPromise(result)) {
    freeElement([made, element], result);
    return result as R;
  }
  // Which tensors an async function made isn't known: the others are garbage-collected.
  return (result as Promise<R>).then(
    (value) => {
      freeElement(element, value);
      return value;
    },
    (error: unknown) => {
      freeElement(element);
      throw error;
    },
  );
}

/** Frees elements that nobody takes any more. */
async function freePending(pending: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(pending))
    if (result.status === 'fulfilled') freeElement(result.value);
}

/** The function of `filter`: whether to keep an element. */
export type Predicate<T> = (element: T) => boolean | Tensor | Promise<boolean | Tensor>;

/** The elements for which `predicate` is true. */
export async function* filtered<T>(elements: Elements<T>, predicate: Predicate<T>): AsyncGenerator<T> {
  for await (const element of elements) {
    let isKept = false;
    try {
      isKept = await holds(predicate, element);
    } finally {
      if (!isKept) freeElement(element);
    }
    if (isKept) yield element;
  }
}

async function holds<T>(predicate: Predicate<T>, element: T): Promise<boolean> {
  const result = await predicate(element);
  if (typeof result === 'boolean') return result;
  if (result instanceof Tensor) {
    try {
      return Boolean(await result.item());
    } finally {
      result.dispose();
    }
  }
  throw new ValueError({
    op: 'filter',
    rule: 'the function returns true or false.',
    received: describe(result),
    hint: 'compare: filter(([x, y]) => y > 0).',
  });
}

/** Elements in random order: each is drawn from a buffer, or is the next one, which otherwise goes into the buffer. */
export async function* shuffled<T>(
  elements: Elements<T>,
  bufferSize: number,
  seed: number,
  pass: number,
): AsyncGenerator<T> {
  const random = generator(seed, pass);
  const buffer: T[] = [];
  try {
    for await (const element of elements) {
      if (buffer.length < bufferSize) buffer.push(element);
      else yield drawn(buffer, random, element);
    }
    while (buffer.length > 0) yield drawn(buffer, random, buffer.pop() as T);
  } finally {
    for (const element of buffer) freeElement(element);
  }
}

/** Takes an element out of the buffer, where `next` takes its place, or returns `next` itself. */
function drawn<T>(buffer: T[], random: () => number, next: T): T {
  const i = Math.floor(random() * (buffer.length + 1));
  if (i === buffer.length) return next;
  const element = buffer[i] as T;
  buffer[i] = next;
  return element;
}

/** `join` of each `size` elements; the last group may be smaller, unless `dropRemainder`. */
export async function* grouped<T, R>(
  elements: Elements<T>,
  size: number,
  dropRemainder: boolean,
  join: (group: readonly T[]) => R,
): AsyncGenerator<R> {
  let group: T[] = [];
  const joined = () => {
    const taken = group;
    group = [];
    try {
      return join(taken);
    } finally {
      for (const element of taken) freeElement(element);
    }
  };
  try {
    for await (const element of elements) {
      group.push(element);
      if (group.length === size) yield joined();
    }
    if (group.length > 0 && !dropRemainder) yield joined();
  } finally {
    for (const element of group) freeElement(element);
  }
}

/** At most `count` elements. */
export async function* taken<T>(elements: Elements<T>, count: number): AsyncGenerator<T> {
  if (count === 0) return;
  let left = count;
  for await (const element of elements) {
    yield element;
    // The next element isn't asked for, as it may take long.
    if (--left === 0) return;
  }
}

/** All elements but the first `count`. */
export async function* skipped<T>(elements: Elements<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const element of elements) {
    if (left === 0) yield element;
    else {
      left--;
      freeElement(element);
    }
  }
}

/** The elements of several passes. A dataset without elements isn't repeated forever. */
export async function* repeated<T>(elements: Elements<T>, count: number): AsyncGenerator<T> {
  for (let pass = 0; pass < count; pass++) {
    let isEmpty = true;
    for await (const element of elements) {
      isEmpty = false;
      yield element;
    }
    if (isEmpty) return;
  }
}

/** The elements, of which up to `size` are made before they are asked for. */
export async function* prefetched<T>(elements: Elements<T>, size: number): AsyncGenerator<T> {
  const iterator = elements[Symbol.asyncIterator]();
  const pending: Promise<IteratorResult<T>>[] = [];
  try {
    while (true) {
      while (pending.length <= size) pending.push(settled(iterator.next()));
      const { done, value } = await (pending.shift() as Promise<IteratorResult<T>>);
      if (done) return;
      yield value;
    }
  } finally {
    await freePending(pending.map((next) => next.then(({ done, value }) => (done ? null : value))));
    await iterator.return?.();
  }
}

/** Lists of `size` elements, `stride` apart; each list begins `shift` elements after the one before. */
export async function* windowed<T>(
  elements: Elements<T>,
  {
    size,
    shift,
    stride,
    dropRemainder,
  }: { size: number; shift: number; stride: number; dropRemainder: boolean },
): AsyncGenerator<readonly T[]> {
  const span = (size - 1) * stride + 1;
  /** Elements from number `begin`. */
  const held: T[] = [];
  let begin = 0;
  let start = 0;
  const isHeld = (_: unknown, i: number) => (begin + i - start) % stride === 0;
  const moveOn = () => {
    start += shift;
    const gone = Math.min(held.length, start - begin);
    for (const element of held.splice(0, gone)) freeElement(element);
    begin += gone;
  };
  try {
    for await (const element of elements) {
      held.push(element);
      // Elements between two windows are dropped at once.
      if (begin < start) {
        freeElement(held.pop());
        begin++;
      } else if (begin + held.length - start === span) {
        yield held.filter(isHeld);
        moveOn();
      }
    }
    while (held.length > 0 && !dropRemainder) {
      yield held.filter(isHeld);
      moveOn();
    }
  } finally {
    for (const element of held) freeElement(element);
  }
}
