/** @file The entry retrograd/inspect: the step inspector. */
export type * from './recording/recordingData.ts';
export type { RecordOptions } from './recording/recordOptions.ts';
export { recordSteps } from './recording/recordSteps.ts';
export type { Stateful } from './recording/stateOf.ts';
export { StepRecording } from './recording/stepRecording.ts';
export { inspect, type Inspect, inspector } from './step/inspect.ts';
export type { Inspectable, InspectedStep, StateNumber, StepState } from './step/inspectedStep.ts';
export type * from './step/reportData.ts';
export type { InspectOptions } from './step/reportOptions.ts';
export { compareSteps, StepComparison, StepReport } from './step/stepReport.ts';
