/** @file Dry runs of calls: finds what a call would launch by running it on placeholders. */
import { finishing } from '../core/cleanup.ts';
import type { DType } from '../core/dtype.ts';
import { TapeError } from '../core/errors.ts';
import { isBranch } from '../core/nest.ts';
import { checkOptions, optionsOf } from '../core/options.ts';
import { checkShape, describe, type Shape } from '../core/shape.ts';
import { withDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import type { DryRun } from '../execution/dryRun.ts';
import { output } from '../kernels/launch/output.ts';
import { detached } from '../ops/define/recorders.ts';
import { SeedNotes } from '../ops/define/seeds.ts';
import { checkDType } from '../tensor/create.ts';
import { tidy } from '../tensor/scope.ts';

/** An object that can make its own calls for a dry run, such as a model. */
export interface DryRunnable<O extends object> {
  /** Makes these calls with placeholders instead of data. Called during a dry run. */
  dryRun(options: O): void;
  /** Awaited before the dry run: loads what it needs. */
  loadTraining?(): Promise<void>;
}

/** Describes a tensor that does not exist yet. */
export interface InputSpec {
  readonly shape: Shape;
  /** Default float32. */
  readonly dtype?: DType;
}

/** The maximum number of passes: weights and states created in one pass may change the launches of the next. */
const maxPasses = 3;

/** A function, or a model. */
export type Target = ((...args: never) => unknown) | DryRunnable<object>;

/** Repeats the dry run of a call until a pass creates nothing permanent; `begin` creates the dry run of each pass. */
export async function dryRunCall<D extends DryRun>(
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
  if (typeof (target as Partial<DryRunnable<object>> | null)?.dryRun === 'function') {
    optionsOf(op, inputs.slice(1), {}, ['model', 'options']);
    return () => target.dryRun((inputs[0] ?? {}) as object);
  }
  throw new TapeError({
    op,
    rule: 'it takes a function, or a model.',
    received: describe(target),
    hint: `call ${op}(() => step(x, y)), or ${op}(net, { batchSize: 32 }).`,
  });
}

/** Runs `body` once without launching anything. */
export function runDry(op: string, device: Device, body: () => unknown, dry: DryRun): void {
  const seeds = new SeedNotes();
  const run = () => {
    const result = body();
    if (!(result instanceof Promise)) return;
    result.catch(() => {});
    throw notSync(op, 'a function that returned a Promise');
  };
  const alone = () => detached(() => tidy(run));
  finishing(
    () => seeds.observe(() => withDevice(device, () => dry.run(alone))),
    () => dry.end(),
    () => {
      if (dry.disturbed) seeds.rewindGiven();
      else seeds.rewind();
    },
  );
}

/** Returns `inputs` with placeholders for specs. An op's options may also have a `shape`, which does not describe a tensor. */
export function argumentsOf(
  op: string,
  device: Device,
  target: (...args: never) => unknown,
  inputs: readonly unknown[],
): unknown[] {
  const { definition } = target as { definition?: { inputs: readonly string[] } };
  const operands = definition?.inputs.length ?? inputs.length;
  return inputs.map((input, i) => (i < operands ? withPlaceholders(op, device, input) : input));
}

/** Returns `input` with a placeholder for each spec in it. */
function withPlaceholders(op: string, device: Device, input: unknown): unknown {
  if (!isBranch(input)) return input;
  if (Array.isArray(input)) return input.map((item) => withPlaceholders(op, device, item));
  const { shape, dtype = 'float32' } = input as Partial<InputSpec>;
  if (Array.isArray(shape)) {
    checkOptions(op, input, ['shape', 'dtype']);
    checkShape(op, shape);
    checkDType(op, dtype);
    return output(device, { shape, dtype }, op);
  }
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, withPlaceholders(op, device, value)]),
  );
}

function notSync(op: string, received: string): TapeError {
  return new TapeError({
    op,
    rule: 'a dry run is synchronous: work after an await would be launched.',
    received,
    hint: `pass the part that launches work, such as ${op}(() => step(x, y)), or ${op}(net, { training: true }).`,
  });
}
