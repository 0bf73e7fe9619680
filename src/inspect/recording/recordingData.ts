/** @file The content of a recording of steps, as plain data. */
import type { Finding, StepReportData } from '../step/reportData.ts';

/** A step of a recording. */
export interface RecordedStep {
  /** The numbers that it returned, such as `loss`; by name, or `result`. */
  readonly values: Readonly<Record<string, number | null>>;
  /** Time from the call until its numbers were read. */
  readonly milliseconds: number;
  /** The error that it threw. */
  readonly error: string | null;
}

/** A recording as JSON. NaN and infinities among the values are null. */
export interface StepRecordingData {
  readonly format: 'retrograd step recording';
  readonly version: 1;
  readonly library: string;
  readonly name: string;
  readonly adapter: string;
  readonly steps: readonly RecordedStep[];
  /** Findings about the curves of the steps, the worst first. */
  readonly findings: readonly Finding[];
  /** The first step that can be opened again: earlier ones are no longer kept. */
  readonly firstRetained: number;
  /** Reports of the steps that were opened, by their index. */
  readonly opened: Readonly<Record<number, StepReportData>>;
}
