/** @file The entry `retrograd/keras`: the functional API, by Keras's names. */
import './training/preload.ts';

// Graph
export { input } from './layers/core/inputLayer.ts';
export { KerasTensor } from './graph/kerasTensor.ts';
export { GraphNode, type GraphOperation } from './graph/graphNode.ts';
export { Functional, type FunctionalOptions, model } from './models/functional.ts';
export { Sequential, sequential, type SequentialOptions } from './models/sequential.ts';
export { type GraphModelOptions, Model } from './models/model.ts';
export type { SummaryOptions } from './models/summary.ts';
export { getSourceInputs } from './graph/sourceInputs.ts';
export { maskOf, setMask } from './masks.ts';
export { clearSession } from './names.ts';
export type { QuantizationMode, QuantizeOptions } from './saving/quantizeModel.ts';
export type { LayerTargets } from './adapters/targets.ts';
export type { Mapped, Nest } from './tensorNest.ts';
// Layers
export * as layers from './layers/index.ts';
export { type CallOptions, Layer, type LayerOptions } from './layers/base/layer.ts';
export { type DTypePolicy, getDTypePolicy, setDTypePolicy } from './layers/base/dtypePolicy.ts';
export * as activations from './activationExports.ts';
export * as constraints from './constraints/index.ts';
export * as initializers from './initializers/index.ts';
export * as regularizers from './regularizers/index.ts';
export * as ops from './ops/index.ts';
// Training
export type {
  AnyBatch,
  Batch,
  BatchItem,
  BatchIterable,
  ClassWeight,
  CompileOptions,
  Data,
  DataSpec,
  DataSpecs,
  EvaluateOptions,
  FitOptions,
  ListedLogs,
  Logs,
  LossArgument,
  LossWeights,
  ModelLoraOptions,
  MetricsArgument,
  OnBatchOptions,
  Predicted,
  MemoryPlan,
  PredictOptions,
  DryRunOptions,
  StepExplanation,
  StepKind,
  StepLogs,
  TrainOnBatchOptions,
  ValidationData,
} from './training/index.ts';
export { remat, type RematOptions, RematScope } from './training/remat.ts';
export * as optimizers from './optimizers/index.ts';
// Networks
export * as applications from './applications/index.ts';
// Losses
export * as losses from './losses/index.ts';
// Metrics
export * as metrics from './metrics/index.ts';
// Names in files, and models as files hold them
export { type FromJSONOptions, modelFromJSON } from './loading/modelFromJSON.ts';
export { modelToConfig, modelToJSON } from './json/write.ts';
export { cloneModel, type CloneModelOptions } from './loading/cloneModel.ts';
export type { NamedKind, RegisteredNames } from './nameTypes.ts';
export { type CustomObjects, registerClass, type RegisterOptions } from './serialization/registered.ts';
// Utilities
export * as utils from './utils/index.ts';
// Callbacks
export * as callbacks from './callbacks/index.ts';
export { History } from './callbacks/history.ts';
