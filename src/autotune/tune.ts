/** @file tune: measures ahead of use which variants of kernels are the fastest here. */
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import type { InputSpec, DryRunnable, Target } from '../autodiff/dryRunCall.ts';
import type { TuningReport } from './report.ts';
import { installTuner } from './tuner.ts';

/**
 * Measures the variants of the kernels that a call of `fn` needs, and lets the fastest be taken from then on, in calls of
 * any function. `fn` runs dry, as in `warmup`: nothing that it computes happens. Its `inputs` are tensors, or
 * `{ shape, dtype }` in place of one. What was measured before, in this visit or in an earlier one, isn't measured again.
 *
 *     await tune(step, { shape: [32, 784] }, { shape: [32], dtype: 'int32' });
 *     await tune(net, { batchSize: 32, training: true });
 *     await tune(conv2d, { shape: [1, 56, 56, 64] }, { shape: [3, 3, 64, 64] }, { padding: 'same' });
 *     console.log(String(report));
 *
 * Compiled functions are captured anew at their next call where a choice changed. Results may differ in their last bits
 * from those before, since variants add in other orders.
 * Errors: those of `warmup`.
 */
export async function tune<A extends readonly unknown[]>(
  fn: (...args: A) => unknown,
  ...inputs: { [K in keyof A]: A[K] | InputSpec }
): Promise<TuningReport>;
export async function tune<O extends object>(model: DryRunnable<O>, options?: O): Promise<TuningReport>;
export async function tune(target: Target, ...inputs: readonly unknown[]): Promise<TuningReport> {
  const device: Device = getDevice();
  const tuner = installTuner(device);
  await tuner.load();
  return tuner.tune(target, inputs);
}
