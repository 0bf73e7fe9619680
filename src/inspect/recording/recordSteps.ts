/** @file recordSteps: records steps that can be inspected later. */
import { checkOptions } from '../../core/options.ts';
import { requireInteger } from '../../core/shape.ts';
import { getDevice } from '../../webgpu/current.ts';
import { requireDevice } from '../../webgpu/requireDevice.ts';
import { type Inspectable, requireStep } from '../step/inspectedStep.ts';
import { requireReportOptions } from '../step/reportOptions.ts';
import type { RecordOptions } from './recordOptions.ts';
import { requireStates } from './stateOf.ts';
import { StepRecording } from './stepRecording.ts';

/**
 * Creates a recording. Its `step` runs a step as usual; its `open` replays one and reports on it like `inspect`.
 *
 *     using recording = recordSteps(net);                  // or recordSteps(step, { state: [w, optimizer] })
 *     for (const [x, y] of batches) await recording.step(x, y);
 *     await net.fit(x, y, { epochs: 3, callbacks: [recording] });      // or by `fit`
 *     const report = await recording.open(120);            // step 120, replayed to the same bits
 *     await recording.save('training.html');               // the curve, and the steps that were opened
 *
 * Errors: ValueError for unknown options, for anything but a function or a model, and, at the first step, for a function
 * without `state`.
 */
export function recordSteps<A extends readonly unknown[]>(
  step: (...args: A) => unknown,
  options: RecordOptions,
): StepRecording<A>;
export function recordSteps<A extends readonly unknown[]>(
  model: Inspectable<A>,
  options?: RecordOptions,
): StepRecording<A>;
export function recordSteps(target: unknown, options: RecordOptions = {}): StepRecording<readonly unknown[]> {
  requireStep('recordSteps', target);
  const names = ['checkpointEvery', 'keep', 'state', 'name', 'featureMaps', 'device'];
  checkOptions('recordSteps', options, names);
  const { checkpointEvery = 10, keep = 100, device = getDevice() } = options;
  requireInteger('recordSteps', 'checkpointEvery', checkpointEvery, 1);
  requireInteger('recordSteps', 'keep', keep, 1);
  requireReportOptions('recordSteps', options);
  requireStates(options.state);
  requireDevice('recordSteps', device);
  return new StepRecording(target, { ...options, checkpointEvery, keep, device });
}
