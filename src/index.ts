/** @file Retrograd's main entry: named exports only. */

// Device
export { getDevice, setDevice } from './webgpu/current.ts';
export type { Device, DeviceTuning } from './webgpu/device.ts';
export type { CompileProgress } from './webgpu/pipelines.ts';
export { init, type InitOptions } from './kernels/loading/init.ts';
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
export {
  packInt4,
  type QuantizedLayout,
  type QuantizedTensor,
  quantizedTensor,
  type QuantizedValues,
  unpackInt4,
} from './tensor/quantizedTensor.ts';
export type { QuantizedFormat } from './core/packedWeights.ts';
export {
  cachedAttention,
  type CachedAttentionOptions,
  type CachedLayer,
} from './ops/attention/cachedAttention.ts';
export {
  type KeyValueCache,
  keyValueCache,
  type KeyValueCacheOptions,
} from './ops/attention/keyValueCache.ts';
export { linearCrossEntropy } from './ops/vocabulary/linearCrossEntropy.ts';
export type { LinearCrossEntropyOptions } from './ops/vocabulary/linearCrossEntropyPlan.ts';
export {
  dequantize,
  quantizedGather,
  quantizedMatMul,
  type QuantizedMatMulOptions,
} from './ops/products/quantized.ts';
export { keep, type Scope, scope, tidy } from './tensor/scope.ts';
export { type NestedArray, Tensor } from './tensor/tensor.ts';
export { Variable, variable, type VariableOptions } from './tensor/variable.ts';
// Ops, and what an app needs to add its own
export * from './ops/index.ts';
export { enableFloat16 } from './ops/elementwise/enableFloat16.ts';
export { setRandomSeed } from './ops/define/seeds.ts';
export type { Op, OpDefinition, Saved } from './ops/define/define.ts';
export type { DTypeOf, DTypeRule } from './ops/define/resultDType.ts';
export type { Call } from './ops/define/call.ts';
export type { TensorLike } from './ops/define/operands.ts';
export type { SymbolicTensor } from './ops/define/recorders.ts';
// Kernels of your own
export type { FaultReport } from './webgpu/faults.ts';
export type { Kernel, KernelDefinition } from './webgpu/kernel.ts';
export { defineKernel } from './webgpu/customKernel.ts';
export { type KernelRun, runKernel } from './kernels/launch/run.ts';
export { flatIndex } from '../shaders/lib/indexing.ts';
// Compiled functions
export {
  type CaptureReport,
  type CompiledFunction,
  type CompileOptions,
  compile,
} from './autodiff/compile.ts';
export type { InputSpec, DryRunnable } from './autodiff/dryRunCall.ts';
export { warmup } from './autodiff/warmup.ts';
export { onReplay } from './execution/currentExecutor.ts';
export { DynamicScalar } from './webgpu/params.ts';
// Choices between variants of kernels
export { type ChoiceExplanation, explainChoice } from './autotune/explainChoice.ts';
export { tune } from './autotune/tune.ts';
export { tuning, type TuningOptions } from './autotune/tuning.ts';
export type { CandidateReport, ChoiceReport, TuningReport } from './autotune/report.ts';
export type { TuningStore } from './autotune/store.ts';
export type { VariantReport, VerificationProgress, VerificationReport } from './verify/report.ts';
export { verify, type VerifyOptions } from './verify/verify.ts';
// Measuring
export { gpuTime } from './inspect/gpuTime.ts';
export { profile, type ProfileOptions } from './inspect/profile.ts';
export type { LayerRow, ProfileRow, Totals } from './inspect/rows.ts';
export type { ProfiledLaunch } from './inspect/launches.ts';
export type { ProfileReport, TableOptions, Timing } from './inspect/report.ts';
export type { ProfiledCall } from './webgpu/command.ts';
export type { Cost } from './ops/define/cost.ts';
// Tape
export { checkpoint, customGradient, type CustomGradientResult } from './autodiff/customGradient.ts';
export { customJvp, type TangentRule } from './autodiff/customJvp.ts';
export type { DisconnectionCause, PathExplanation, PathStep } from './autodiff/pathExplanation.ts';
export {
  grad,
  type GradOfOptions,
  type GradOptions,
  type GradientsAt,
  grads,
  valueAndGrad,
  valueAndGrads,
} from './autodiff/functional.ts';
export { hessian, jacfwd, jacobian, type JacobianOf } from './autodiff/jacobians.ts';
export {
  hvp,
  jvp,
  type LinearMap,
  linearize,
  type Linearized,
  type Pullback,
  vjp,
  type VjpOptions,
} from './autodiff/linearMaps.ts';
export { scan, type ScanOptions } from './autodiff/scan.ts';
export type { GradientsOf, TensorTree } from './autodiff/tree.ts';
export { gradients, type ValueAndGradients } from './autodiff/gradients.ts';
export type { Gradient, GradientOptions, UnconnectedGradients } from './autodiff/request.ts';
export { type Axes, vmap, type VmapOptions } from './autodiff/vmap/vmap.ts';
export { GradientTape, type TapeOptions } from './autodiff/tape.ts';
// History
export { debugMode } from './history/callSite.ts';
export { explainHistory, type HistoryExplanation, requireHistory } from './history/explain.ts';
export { Lineage, lineage } from './history/lineage.ts';
export { type KerasHistory, Node, type Operation } from './history/node.ts';
// Errors
export * from './core/errors.ts';
