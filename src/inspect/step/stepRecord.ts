/** @file StepRecord: the data from a run of a step, to be read and assembled. */
import type { CaptureReport } from '../../autodiff/compile.ts';
import type { Device } from '../../webgpu/device.ts';
import type { ProfileReport } from '../report.ts';
import type { AllocationLog } from './allocationLog.ts';
import type { StepRecorder } from './stepRecorder.ts';
import type { UnobservedWork } from './unobserved.ts';
import type { StatisticsCollector } from './valueStatistics.ts';
import type { WatchedWeight } from './weightWatch.ts';

export interface StepRecord {
  readonly name: string;
  readonly device: Device;
  readonly profiled: ProfileReport<unknown>;
  readonly recorder: StepRecorder;
  readonly statistics: StatisticsCollector;
  readonly weights: readonly WatchedWeight[];
  readonly unobserved: UnobservedWork;
  readonly log: AllocationLog;
  readonly bytesBefore: number;
  readonly launchesBefore: number;
  readonly errors: readonly Error[];
  readonly captures: CaptureReport[] | null;
}
