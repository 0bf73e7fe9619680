/** @file warmup: compiles the pipelines of a call ahead of it, side by side. */
import type { DType } from '../core/dtype.ts';
import { TapeError } from '../core/errors.ts';
import { checkShape, describe, type Shape } from '../core/shape.ts';
import { type Device, getDevice, withDevice } from '../gpu/device.ts';
import { DryRun } from '../gpu/dryRun.ts';
import { withRecording } from '../gpu/recording.ts';
import { insideCall } from '../history/frames.ts';
import { output } from '../kernels/output.ts';
import { withRecorders } from '../ops/recording.ts';
import { rewindSeeds, seedPosition } from '../ops/seeds.ts';
import { checkDType } from '../tensor/create.ts';
import { tidy } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';

/** What knows by itself which calls there will be: a model. */
export interface Rehearsed<O extends object> {
  /** Does with stand-ins what it will do with data. Runs dry. */
  rehearse(options: O): void;
  /** Awaited before that: loads what it needs. */
  loadTraining?(): Promise<void>;
}

/** What stands for a tensor that isn't there yet. */
export interface InputSpec {
  readonly shape: Shape;
  /** Default float32. */
  readonly dtype?: DType;
}

/** Passes at most: what one makes for real may change the launches of the next. */
const maxPasses = 3;

/**
 * Compiles the pipelines that a call of `fn` will need, side by side, so that the first call finds them ready. `fn` runs
 * dry: its JavaScript runs, nothing is launched, and variables, states of optimizers, seeds and `eachRun` effects stay as
 * they are. What is made once is made for real: weights of layers that aren't built, states of an optimizer, metrics.
 * `inputs` are its arguments; `{ shape, dtype }` stands for a tensor. Resolves to the number of pipelines compiled.
 *
 *     await warmup(step, { shape: [32, 784] }, { shape: [32], dtype: 'int32' });
 *     await warmup(() => net.apply(x));
 *     await warmup(net, { batchSize: 32, training: true });
 *
 * Tensors that `fn` keeps beyond its end have no values. Compiled functions inside are prepared for their replays, too.
 * Errors: TapeError for an `fn` that is async or reads values back; ValueError for one that makes variables; what `fn`
 * throws; DeviceError for a kernel that doesn't compile.
 */
export async function warmup<A extends readonly unknown[]>(
  fn: (...args: A) => unknown,
  ...inputs: { [K in keyof A]: A[K] | InputSpec }
): Promise<number>;
export async function warmup<O extends object>(model: Rehearsed<O>, options?: O): Promise<number>;
export async function warmup(
  target: ((...args: never) => unknown) | Rehearsed<object>,
  ...inputs: readonly unknown[]
): Promise<number> {
  const device = getDevice();
  const body = bodyOf(device, target, inputs);
  if (typeof target === 'object') await target.loadTraining?.();
  const before = device.pipelineCount;
  const compilations: Promise<void>[] = [];
  for (let pass = 0; pass < maxPasses; pass++) {
    const dry = runDry(device, body);
    compilations.push(...dry.compilations);
    if (!dry.disturbed) break;
  }
  // One that fails doesn't keep others from being ready when this ends.
  await Promise.allSettled(compilations);
  await Promise.all(compilations);
  return device.pipelineCount - before;
}

function bodyOf(
  device: Device,
  target: ((...args: never) => unknown) | Rehearsed<object>,
  inputs: readonly unknown[],
): () => unknown {
  if (typeof target === 'function') {
    if (target.constructor.name === 'AsyncFunction') throw notSync('an async function');
    return () => target(...(inputs.map((input) => withStandIns(device, input)) as never));
  }
  if (typeof (target as Partial<Rehearsed<object>> | null)?.rehearse === 'function') {
    return () => target.rehearse((inputs[0] ?? {}) as object);
  }
  throw new TapeError({
    op: 'warmup',
    rule: 'what is warmed up is a function, or a model.',
    received: describe(target),
    mend: 'call warmup(() => step(x, y)), or warmup(net, { batchSize: 32 }).',
  });
}

/** Runs `body` once without its launches. */
function runDry(device: Device, body: () => unknown): DryRun {
  const dry = new DryRun(device);
  const seeds = seedPosition();
  const run = () => {
    const result = body();
    if (!(result instanceof Promise)) return;
    result.catch(() => {});
    throw notSync('a function that returned a Promise');
  };
  try {
    const alone = () => withRecorders([], () => insideCall(null, () => tidy(run)));
    withDevice(device, () => withRecording(dry.root, alone));
  } finally {
    dry.end();
    // What was made for real keeps the seeds that it drew.
    if (!dry.disturbed) rewindSeeds(seeds);
  }
  return dry;
}

function withStandIns(device: Device, input: unknown): unknown {
  if (input instanceof Tensor || typeof input !== 'object' || input === null) return input;
  if (Array.isArray(input)) return input.map((item) => withStandIns(device, item));
  if (Object.getPrototypeOf(input) !== Object.prototype) return input;
  if (Array.isArray((input as Partial<InputSpec>).shape)) {
    const { shape, dtype = 'float32' } = input as InputSpec;
    checkShape('warmup', shape);
    checkDType('warmup', dtype);
    return output(device, { shape, dtype }, 'warmup');
  }
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, withStandIns(device, value)]));
}

function notSync(received: string): TapeError {
  return new TapeError({
    op: 'warmup',
    rule: 'a dry run is synchronous: what comes after a wait would be real.',
    received,
    mend: 'warm up the part that launches work, such as warmup(() => step(x, y)), or warmup(net, { training: true }).',
  });
}
