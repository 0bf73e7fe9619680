/** @file profile: the cost of a piece of work on the GPU, by op and layer. */
import { Cleanup, runAll } from '../core/cleanup.ts';
import { ValueError } from '../core/errors.ts';
import { checkOptions } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import { ProfilingExecutor } from '../execution/profilingExecutor.ts';
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { requireDevice } from '../webgpu/requireDevice.ts';
import { PassTimer, WallTimer } from '../webgpu/timing.ts';
import { LaunchLog } from './launches.ts';
import { ProfileReport } from './report.ts';

export interface ProfileOptions {
  /** The device whose launches are measured. Default: the current device. */
  device?: Device;
}

/**
 * Runs `run`, and reports the cost of its launches: time, bytes and floating-point operations by op and layer, with forward
 * and backward separate. Replays of compiled functions and their fused launches are included.
 *
 *     const report = await profile(() => net.apply(x));
 *     console.log(report.table());
 *
 * Call `run` once before: otherwise, compilation at the first call counts in `wallMilliseconds`. While profiling, each launch
 * has its own pass, which costs a little. Work that other code launches on the device counts, too. Launches into an app's own
 * encoder aren't seen.
 * Errors: ValueError for anything but a function, and while another profile runs; errors of `run`; faults of its work.
 */
export async function profile<R>(
  run: () => R | Promise<R>,
  options: ProfileOptions = {},
): Promise<ProfileReport<R>> {
  requireFunction(run);
  checkOptions('profile', options, ['device']);
  const { device = getDevice() } = options;
  requireDevice('profile', device);
  await device.sync();
  const { stream } = device;
  requireUnwatched(device);
  device.flush();
  const timer = device.gpu.features.has('timestamp-query')
    ? new PassTimer(device, 'pass')
    : new WallTimer(device);
  const log = new LaunchLog(timer);
  const profiling = new ProfilingExecutor(device.executor);
  const endAttribution = () => {
    if (device.executor === profiling) device.executor = device.eager;
  };
  const submitsBefore = stream.statistics.submits;
  let submissions = 0;
  const endWatch = () => {
    stream.watcher = null;
    submissions = stream.statistics.submits - submitsBefore;
  };
  const watch = new Cleanup();
  // The watch ends after the flush: appended launches still name the timer's queries.
  watch.defer(() => runAll([endAttribution, () => device.flush(), endWatch]));
  stream.watcher = log;
  device.executor = profiling;
  try {
    const start = performance.now();
    const result = await watch.after(async () => run());
    await device.sync();
    const wallMilliseconds = performance.now() - start;
    const launches = await log.timed();
    const timing = timer instanceof PassTimer ? 'timestamps' : 'wall';
    const { adapter } = device;
    return new ProfileReport({ launches, submissions, wallMilliseconds, timing, adapter, result });
  } finally {
    if (timer instanceof PassTimer) timer.destroy();
  }
}

function requireFunction(run: unknown): void {
  if (typeof run === 'function') return;
  throw new ValueError({
    op: 'profile',
    rule: 'it profiles a function that launches work.',
    received: describe(run),
    hint: 'call profile(() => net.apply(x)).',
  });
}

function requireUnwatched({ stream }: Device): void {
  if (!stream.watcher) return;
  throw new ValueError({
    op: 'profile',
    rule: 'a device is watched by one profile at a time.',
    received: 'a second one',
    hint: 'await the first.',
  });
}
