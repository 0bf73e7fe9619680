/** @file warmup: compiles the pipelines of a call ahead of time, in parallel. */
import { getDevice } from '../webgpu/current.ts';
import { DryRun } from '../execution/dryRun.ts';
import { type InputSpec, type DryRunnable, dryRunCall, type Target } from './dryRunCall.ts';

/**
 * Compiles the pipelines that a call of `fn` will need, in parallel, before the first call. This is a dry run of `fn`: its
 * JavaScript runs, nothing is launched, and variables, states of optimizers, seeds and `onReplay` effects stay as they are.
 * Objects that are created only once are created permanently: weights of layers that aren't built, states of an optimizer,
 * metrics.
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
export async function warmup<O extends object>(model: DryRunnable<O>, options?: O): Promise<number>;
export async function warmup(target: Target, ...inputs: readonly unknown[]): Promise<number> {
  const device = getDevice();
  const before = device.pipelineCount;
  let selection: number;
  let compilations: Promise<void>[];
  do {
    selection = device.selectionVersion;
    const runs = await dryRunCall('warmup', device, target, inputs, () => new DryRun());
    compilations = runs.flatMap((dry) => [...dry.compilations]);
    // Wait for all, even if one fails. If a failed one has a fallback, that is compiled.
    await Promise.allSettled(compilations);
  } while (device.selectionVersion !== selection);
  await Promise.all(compilations);
  return device.pipelineCount - before;
}
