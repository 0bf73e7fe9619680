/** @file Rehearsals: what a call would launch, found by running it dry on stand-ins. */
import type { DType } from '../core/dtype.ts';
import { TapeError } from '../core/errors.ts';
import { checkShape, describe, type Shape } from '../core/shape.ts';
import { type Device, withDevice } from '../webgpu/device.ts';
import type { DryRun } from '../webgpu/dryRun.ts';
import { withRecording } from '../webgpu/activeRecording.ts';
import { insideCall } from '../history/frames.ts';
import { output } from '../kernels/output.ts';
import { withRecorders } from '../ops/recorders.ts';
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

/** A function, or a model. */
export type Target = ((...args: never) => unknown) | Rehearsed<object>;

/** Runs a call of `target` dry until a pass makes nothing for real; `begin` makes the dry run of each. */
export async function rehearseCall<D extends DryRun>(
  op: string,
  device: Device,
  target: Target,
  inputs: readonly unknown[],
  begin: () => D,
): Promise<D[]> {
  const body = bodyOf(op, device, target, inputs);
  if (typeof target === 'object') await target.loadTraining?.();
  const runs: D[] = [];
  for (let pass = 0; pass < maxPasses; pass++) {
    const dry = begin();
    runs.push(dry);
    runDry(op, device, body, dry);
    if (!dry.disturbed) break;
  }
  return runs;
}

function bodyOf(op: string, device: Device, target: Target, inputs: readonly unknown[]): () => unknown {
  if (typeof target === 'function') {
    if (target.constructor.name === 'AsyncFunction') throw notSync(op, 'an async function');
    return () => target(...(argumentsOf(op, device, target, inputs) as never));
  }
  if (typeof (target as Partial<Rehearsed<object>> | null)?.rehearse === 'function') {
    return () => target.rehearse((inputs[0] ?? {}) as object);
  }
  throw new TapeError({
    op,
    rule: `${op} takes a function, or a model.`,
    received: describe(target),
    hint: `call ${op}(() => step(x, y)), or ${op}(net, { batchSize: 32 }).`,
  });
}

/** Runs `body` once without its launches. */
export function runDry(op: string, device: Device, body: () => unknown, dry: DryRun): void {
  const seeds = seedPosition();
  const run = () => {
    const result = body();
    if (!(result instanceof Promise)) return;
    result.catch(() => {});
    throw notSync(op, 'a function that returned a Promise');
  };
  try {
    const alone = () => withRecorders([], () => insideCall(null, () => tidy(run)));
    withDevice(device, () => withRecording(dry.root, alone));
  } finally {
    dry.end();
    // What was made for real keeps the seeds that it drew.
    if (!dry.disturbed) rewindSeeds(seeds);
  }
}

/** `inputs` with stand-ins for specs. The options of an op may have a shape, too, which is no tensor. */
export function argumentsOf(
  op: string,
  device: Device,
  target: (...args: never) => unknown,
  inputs: readonly unknown[],
): unknown[] {
  const { definition } = target as { definition?: { inputs: readonly string[] } };
  const operands = definition?.inputs.length ?? inputs.length;
  return inputs.map((input, i) => (i < operands ? withStandIns(op, device, input) : input));
}

/** `input` with a stand-in for each spec in it. */
function withStandIns(op: string, device: Device, input: unknown): unknown {
  if (input instanceof Tensor || typeof input !== 'object' || input === null) return input;
  if (Array.isArray(input)) return input.map((item) => withStandIns(op, device, item));
  if (Object.getPrototypeOf(input) !== Object.prototype) return input;
  if (Array.isArray((input as Partial<InputSpec>).shape)) {
    const { shape, dtype = 'float32' } = input as InputSpec;
    checkShape(op, shape);
    checkDType(op, dtype);
    return output(device, { shape, dtype }, op);
  }
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, withStandIns(op, device, value)]),
  );
}

function notSync(op: string, received: string): TapeError {
  return new TapeError({
    op,
    rule: 'a dry run is synchronous: what comes after a wait would be real.',
    received,
    hint: `pass the part that launches work, such as ${op}(() => step(x, y)), or ${op}(net, { training: true }).`,
  });
}
