/** @file Retrograd's main entry: named exports only. */

// Device
export { type Device, type DeviceTuning, getDevice, setDevice } from './gpu/device.ts';
export { init, type InitOptions } from './kernels/init.ts';
// Tensors
export type { DType } from './core/dtype.ts';
export type { Shape } from './core/shape.ts';
export type { TensorSpec } from './core/spec.ts';
export {
  type BufferOptions,
  freshTensor,
  fromBuffer,
  type HostValues,
  tensor,
  type TensorOptions,
} from './tensor/create.ts';
export {
  fromImage,
  type FromImageOptions,
  toCanvas,
  toPixels,
  type ToPixelsOptions,
} from './tensor/image.ts';
export type { ImageSource, Pixels } from './tensor/pixels.ts';
export { memory, type MemoryReport, resetPeakMemory } from './tensor/memory.ts';
export { keep, type Scope, scope, tidy } from './tensor/scope.ts';
export { type NestedArray, Tensor } from './tensor/tensor.ts';
export { Variable, variable, type VariableOptions } from './tensor/variable.ts';
// Ops, and what an app needs to add its own
export * from './ops/index.ts';
export { setRandomSeed } from './ops/seeds.ts';
export type { Op, OpDefinition, Saved } from './ops/define.ts';
export type { Call } from './ops/call.ts';
export type { TensorLike } from './ops/operands.ts';
export type { SymbolicTensor } from './ops/recording.ts';
// Kernels of your own
export type { FaultReport } from './gpu/faults.ts';
export { defineKernel, type Kernel, type KernelDefinition } from './gpu/kernel.ts';
export { type KernelRun, runKernel } from './kernels/run.ts';
export { flatIndex } from '../shaders/lib/indexing.ts';
// Compiled functions
export {
  type CaptureReport,
  type CompiledFunction,
  type CompileOptions,
  compile,
} from './tape/compile.ts';
export type { InputSpec, Rehearsed } from './tape/rehearsal.ts';
export { warmup } from './tape/warmup.ts';
export { eachRun } from './gpu/eachRun.ts';
export { LiveNumber } from './gpu/params.ts';
// Choices between variants of kernels
export { type ChoiceExplanation, explainChoice } from './tuning/explainChoice.ts';
export { tune } from './tuning/tune.ts';
export { tuning, type TuningOptions } from './tuning/tuning.ts';
export type { CandidateReport, ChoiceReport, TuningReport } from './tuning/report.ts';
export type { TuningStore } from './tuning/store.ts';
// Measuring
export { gpuTime } from './profile/gpuTime.ts';
export { profile, type ProfileOptions } from './profile/profile.ts';
export type { LayerRow, ProfileRow, Totals } from './profile/rows.ts';
export type { ProfiledLaunch } from './profile/launches.ts';
export type { ProfileReport, TableOptions, Timing } from './profile/report.ts';
export type { ChargedCall } from './gpu/charge.ts';
export type { Cost } from './ops/cost.ts';
// Tape
export { checkpoint, customGradient, type CustomGradientResult } from './tape/customGradient.ts';
export type { CutCause, PathExplanation, PathStep } from './tape/explain.ts';
export { grad, grads, hvp, jacobian, jvp, valueAndGrad, valueAndGrads } from './tape/functional.ts';
export type { GradientOptions } from './tape/request.ts';
export { GradientTape, type TapeOptions } from './tape/tape.ts';
// History
export { debugMode } from './history/callSite.ts';
export { explainHistory, type HistoryExplanation, requireHistory } from './history/explain.ts';
export { Lineage, lineage } from './history/lineage.ts';
export { type KerasHistory, Node, type Operation } from './history/node.ts';
// Errors
export * from './core/errors.ts';
