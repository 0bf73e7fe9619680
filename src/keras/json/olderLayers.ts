/**
 * @file Options of Keras 2's layers in the form of Keras 3, class by class. An option that Keras 3 doesn't have is left out only
 * at the value at which it changes nothing; otherwise it stays, for the reader to reject.
 */
import { isObject, type Json, type JsonObject } from './document.ts';
import { withoutNulls } from './olderTraining.ts';

/** How the options of a class changed. */
interface Upgrade {
  /** The class in Keras 3. */
  readonly className?: string;
  readonly renamed?: Readonly<Record<string, string>>;
  /** Options without effect. */
  readonly obsolete?: readonly string[];
  /** Options that Keras 3 doesn't have, at the value at which they change nothing. */
  readonly neutral?: JsonObject;
  /** Options that the class didn't have yet in the oldest files, with the value that they mean. */
  readonly added?: JsonObject;
  /** All options. TF.js mixes those of the cell into those of the layer. */
  readonly only?: ReadonlySet<string>;
}

/** Options of every layer that affect only how something is computed, and those of a first layer. */
const obsolete = [
  ...['batch_input_shape', 'batch_size', 'input_dtype', 'input_length', 'input_shape'],
  ...['autocast', 'dynamic', 'experimental_autocast', 'fused', 'implementation', 'rng_type'],
];

const neutral: JsonObject = {
  ragged: false,
  sparse: false,
  time_major: false,
  zero_output_for_mask: false,
};

const ofBaseConvolution = ['kernel_initializer', 'kernel_regularizer', 'kernel_constraint'];
const transposed: Upgrade = { neutral: { groups: 1 } };
const depthwise: Upgrade = { obsolete: ['filters', ...ofBaseConvolution], neutral: { groups: 1 } };
const separable: Upgrade = { obsolete: ofBaseConvolution, neutral: { groups: 1 } };
const attention: Upgrade = { neutral: { causal: false } };
/** Before there was an option, the reset gate was applied before the product. */
const gru: Upgrade = { added: { reset_after: false } };
const rnn = new Set([
  ...['name', 'trainable', 'dtype', 'cell', 'num_constants', 'return_sequences', 'return_state'],
  ...['go_backwards', 'stateful', 'unroll', 'time_major', 'zero_output_for_mask'],
]);

const upgrades: Readonly<Record<string, Upgrade>> = {
  Conv1DTranspose: transposed,
  Conv2DTranspose: transposed,
  Conv3DTranspose: transposed,
  DepthwiseConv1D: depthwise,
  DepthwiseConv2D: depthwise,
  SeparableConv1D: separable,
  SeparableConv2D: separable,
  Attention: attention,
  AdditiveAttention: attention,
  RNN: { only: rnn },
  GRU: gru,
  GRUCell: gru,
  CuDNNLSTM: { className: 'LSTM' },
  CuDNNGRU: { className: 'GRU', added: { reset_after: true } },
  ThresholdedReLU: { className: 'ReLU', renamed: { theta: 'threshold' } },
  LeakyReLU: { renamed: { alpha: 'negative_slope' } },
  Softmax: { obsolete: ['robust_masking'] },
  MultiHeadAttention: {
    obsolete: ['softmax_robust_masking', 'query_shape', 'key_shape', 'value_shape'],
  },
  BatchNormalization: { obsolete: ['adjustment'] },
  SyncBatchNormalization: { className: 'BatchNormalization', added: { synchronized: true } },
};

const renamedClasses: Readonly<Record<string, string>> = {
  Model: 'Functional',
  BatchNormalizationV1: 'BatchNormalization',
  BatchNormalizationV2: 'BatchNormalization',
};

/** Returns a class of Keras 2 in Keras 3. */
export function upgradedClass(className: Json): Json {
  if (typeof className !== 'string') return className;
  const renamed = renamedClass(className);
  return upgradeOf(renamed).className ?? renamed;
}

function renamedClass(className: string): string {
  return Object.hasOwn(renamedClasses, className) ? (renamedClasses[className] as string) : className;
}

function upgradeOf(className: string): Upgrade {
  return Object.hasOwn(upgrades, className) ? (upgrades[className] as Upgrade) : {};
}

/** Returns the options of a layer of Keras 2. `upgradeInside` upgrades layers inside it. */
export function upgradeOptions(
  older: string,
  config: JsonObject,
  upgradeInside: (layer: Json) => Json,
): JsonObject {
  const className = renamedClass(older);
  if (className === 'Lambda') return upgradeLambda(config);
  const { added, obsolete: unneeded = [], neutral: unchanging, renamed, only } = upgradeOf(className);
  const kept = withoutNulls(config, new Set([...obsoleteIn(className), ...unneeded]));
  const entries = Object.entries(withoutNeutral(kept, { ...neutral, ...unchanging }))
    .filter(([key]) => only?.has(key) ?? true)
    .map(([key, value]) => [renamed?.[key] ?? key, upgradeValue(className, key, value, upgradeInside)]);
  return { ...added, ...Object.fromEntries(entries) };
}

/** Inputs keep their shape. Embeddings have `input_dim` as their own option. */
function obsoleteIn(className: string): readonly string[] {
  if (className === 'InputLayer') return [];
  return className === 'Embedding' ? obsolete : [...obsolete, 'input_dim'];
}

function withoutNeutral(config: JsonObject, values: JsonObject): JsonObject {
  const kept = Object.entries(config).filter(
    ([key, value]) => !Object.hasOwn(values, key) || values[key] !== value,
  );
  return Object.fromEntries(kept);
}

/** The kind of each function was an option of its own. The shape of results follows from the function. */
function upgradeLambda(config: JsonObject): JsonObject {
  const { function_type: type, output_shape_type: shapeType = 'raw', mask_type: maskType, ...rest } = config;
  const { function: fn = null, mask = null, output_shape: shape = null, ...options } = rest;
  const kept = withoutNulls(options, new Set([...obsolete, ...ofFunctions]));
  return {
    ...kept,
    function: codeOf(fn, type),
    ...(mask === null ? {} : { mask: codeOf(mask, maskType) }),
    ...(shape === null || shapeType !== 'raw' ? {} : { output_shape: shape }),
  };
}

/** Modules of functions. */
const ofFunctions = ['module', 'output_shape_module', 'mask_module', 'input_dim'];

/** Python code was a list of three. */
function codeOf(fn: Json, type: Json | undefined): Json {
  return type === 'lambda' && Array.isArray(fn) ? { class_name: '__lambda__', config: { value: fn } } : fn;
}

function upgradeValue(
  className: string,
  key: string,
  value: Json,
  upgradeInside: (layer: Json) => Json,
): Json {
  if (
    key === 'axis' &&
    className.endsWith('BatchNormalization') &&
    Array.isArray(value) &&
    value.length === 1
  )
    return value[0] as Json;
  if (Array.isArray(value) && (key === 'layer' || key === 'cells')) return value.map(upgradeInside);
  if (!isObject(value)) return value;
  // Arrays of one number, in the earliest files.
  if (value.type === 'ndarray' && 'value' in value) return value.value as Json;
  if (isLayerOption(key) && isObject(value.config)) return upgradeInside(value);
  if (key.endsWith('_initializer') && isObject(value.config)) return withoutDType(value);
  return value;
}

/** Options that hold layers; an activation may be one. */
function isLayerOption(key: string): boolean {
  return /^(layer|backward_layer|cell|cells|activation|recurrent_activation)$/.test(key);
}

/** Initializers had dtypes of their own. */
function withoutDType(initializer: JsonObject): JsonObject {
  const { dtype: _, ...config } = initializer.config as JsonObject;
  return { ...initializer, config };
}
