/**
 * @file Gradient descent on a picture: from noise towards a minimum of a loss.
 */
import {
  clip,
  compile,
  getDevice,
  GradientTape,
  stack,
  type Tensor,
  tidy,
  type Variable,
  variable,
} from 'retrograd';
import { optimizers } from 'retrograd/keras';
import type { Loss } from './losses.ts';

export interface Progress {
  /** Steps done, of `steps`. */
  step: number;
  steps: number;
  /** Losses so far; the last of them is `loss`. */
  losses: number[];
  loss: number;
  stepsPerSecond: number;
  /** The current picture. */
  picture: Variable;
}

export interface ReconstructOptions {
  loss: Loss;
  /** The picture to start from. */
  start: Tensor;
  steps: number;
  learningRate?: number;
  /** Called every few steps; its result is awaited. */
  onProgress?: (progress: Progress) => unknown;
  signal?: AbortSignal | undefined;
}

export interface Reconstruction {
  /** The result, with values from 0 to 1. */
  picture: Tensor;
  /** The loss before each step, and after the last. */
  losses: number[];
  stepsPerSecond: number;
  submitsPerStep: number;
}

/**
 * Losses are read back every few steps, one batch behind: the device always has work, and is never more than two
 * batches behind the program.
 */
const stepsPerReadback = 4;

export async function reconstruct(options: ReconstructOptions): Promise<Reconstruction> {
  const { loss, start, steps, learningRate = 0.15, onProgress, signal } = options;
  const picture = variable(start, { name: 'picture' });
  using optimizer = optimizers.adam({ learningRate });
  using step = compile(() => descend(loss, picture, optimizer), { name: 'step' });
  const losses: number[] = [];
  let reading: Promise<void> = Promise.resolve();
  let unread: Tensor[] = [];
  const clock = new Clock();
  const { statistics } = getDevice().stream;
  const submitsBefore = statistics.submits;
  let stepsPerSecond = 0;

  const read = async (values: Tensor, done: number) => {
    losses.push(...((await values.data()) as Float32Array));
    values.dispose();
    stepsPerSecond = clock.rate(done);
    await onProgress?.({
      step: done,
      steps,
      losses,
      loss: losses.at(-1) as number,
      stepsPerSecond,
      picture,
    });
  };
  const readBack = (done: number) => {
    const values = tidy(() => stack(unread));
    for (const value of unread) value.dispose();
    unread = [];
    reading = read(values, done);
  };

  try {
    for (let done = 0; done < steps; done++) {
      signal?.throwIfAborted();
      // Cosine decay, so that the picture converges: Loshchilov and Hutter, SGDR, ICLR 2017.
      optimizer.learningRate = (learningRate * (1 + Math.cos((Math.PI * done) / steps))) / 2;
      unread.push(tidy(step));
      getDevice().flush();
      // The last steps are read together with the loss after them.
      if (unread.length < stepsPerReadback || done === steps - 1) continue;
      await reading;
      readBack(done + 1);
    }
    const submitsPerStep = (statistics.submits - submitsBefore) / steps;
    unread.push(tidy(() => loss.of(picture)));
    await reading;
    readBack(steps);
    await reading;
    const result = tidy(() => clip(picture, { min: 0, max: 1 }));
    return { picture: result, losses, stepsPerSecond, submitsPerStep };
  } finally {
    // A run that was stopped may still be reading.
    await reading.catch(() => {});
    for (const value of unread) value.dispose();
    picture.dispose();
  }
}

/** One step; returns the loss before it. */
function descend(loss: Loss, picture: Variable, optimizer: optimizers.Adam): Tensor {
  using tape = new GradientTape();
  const value = loss.of(picture);
  optimizer.apply([tape.gradient(value, picture)], [picture]);
  return value;
}

/** Steps per second, counted from the first readback on: kernels are compiled before it. */
class Clock {
  readonly #start = performance.now();
  #first: { step: number; time: number } | null = null;

  rate(step: number): number {
    const now = performance.now();
    this.#first ??= { step, time: now };
    const { step: first, time } = this.#first;
    return step > first ? ((step - first) * 1000) / (now - time) : (step * 1000) / (now - this.#start);
  }
}
