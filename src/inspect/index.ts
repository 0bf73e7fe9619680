/** @file The entry retrograd/inspect: the step inspector. */
export {
  inspect,
  type Inspect,
  type Inspectable,
  type InspectedStep,
  type InspectOptions,
  inspector,
} from './step/inspect.ts';
export type * from './step/reportData.ts';
export { compareSteps, StepComparison, StepReport } from './step/stepReport.ts';
