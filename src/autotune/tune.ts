/** @file tune: measures ahead of use which algorithms are the fastest on this device. */
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import type { InputSpec, DryRunnable, Target } from '../autodiff/dryRunCall.ts';
import type { TuningReport } from './report.ts';
import { installTuner } from './tuner.ts';

/**
 * Measures the algorithms that a call of `fn` can launch; from then on, calls of any function launch the fastest. `fn` runs
 * dry, as in `warmup`: nothing is computed. Its `inputs` are tensors, or `{ shape, dtype }` instead of one. Problems
 * measured before, in this visit or in an earlier one, aren't measured again.
 *
 *     await tune(step, { shape: [32, 784] }, { shape: [32], dtype: 'int32' });
 *     await tune(net, { batchSize: 32, training: true });
 *     await tune(conv2d, { shape: [1, 56, 56, 64] }, { shape: [3, 3, 64, 64] }, { padding: 'same' });
 *     console.log(String(report));
 *
 * Compiled functions are captured again at their next call if a choice changed. Results may differ in their last bits
 * from earlier ones, since algorithms add in different orders.
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
