/** @file The layers of TF.js, with the options that mean the same there. */
import type { Json } from './document.ts';
import { olderHardSigmoid } from './olderConfig.ts';

export interface LayersClass {
  /** Options that are written, in Keras's spelling. */
  readonly options: ReadonlySet<string>;
  /** Options for which TF.js supports only one value. */
  readonly fixed: Readonly<Record<string, Json>>;
  /** Options that have a different name there. */
  readonly renamed: Readonly<Record<string, string>>;
}

function layersClass(
  options: string,
  fixed: Readonly<Record<string, Json>> = {},
  renamed: LayersClass['renamed'] = {},
): LayersClass {
  return { options: new Set(options.split(' ').filter((option) => option !== '')), fixed, renamed };
}

/** Returns the options of the weights called `names`. */
function weights(...names: readonly string[]): string {
  const parts = ['initializer', 'regularizer', 'constraint'];
  return names.flatMap((name) => parts.map((part) => `${name}_${part}`)).join(' ');
}

const convolution = 'kernel_size strides padding data_format activation use_bias activity_regularizer';
const convolved = layersClass(`filters dilation_rate ${convolution} ${weights('kernel', 'bias')}`, {
  groups: 1,
});
const pool = layersClass('pool_size strides padding data_format');
// TF.js's 1D pooling layers have no data format.
const pool1d = layersClass('pool_size strides padding', { data_format: 'channels_last' });
const globalPool = layersClass('data_format', { keepdims: false });
const globalPool1d = layersClass('', { keepdims: false, data_format: 'channels_last' });
const merge = layersClass('');

const cell = `units activation use_bias dropout recurrent_dropout ${weights('kernel', 'recurrent', 'bias')}`;
const steps = 'return_sequences return_state go_backwards stateful unroll zero_output_for_mask';
const lstm = `${cell} recurrent_activation unit_forget_bias`;
const gru = `${cell} recurrent_activation reset_after`;
const gruFixed = { reset_after: false };

const classes: Readonly<Record<string, LayersClass>> = {
  Activation: layersClass('activation'),
  Add: merge,
  Average: merge,
  AveragePooling1D: pool1d,
  AveragePooling2D: pool,
  BatchNormalization: layersClass(
    `axis momentum epsilon center scale ${weights('beta', 'gamma')} moving_mean_initializer moving_variance_initializer`,
    { synchronized: false, renorm: false, renorm_clipping: null, renorm_momentum: 0.99 },
  ),
  Bidirectional: layersClass('layer backward_layer merge_mode'),
  Concatenate: layersClass('axis'),
  Conv1D: convolved,
  Conv2D: convolved,
  ConvLSTM2D: layersClass(
    `${steps} ${cell.replace('units', 'filters')} recurrent_activation unit_forget_bias kernel_size strides padding data_format dilation_rate activity_regularizer`,
  ),
  Conv2DTranspose: layersClass(`filters ${convolution} ${weights('kernel', 'bias')}`, {
    output_padding: null,
    dilation_rate: [1, 1],
  }),
  Cropping2D: layersClass('cropping data_format'),
  Dense: layersClass(`units activation use_bias activity_regularizer ${weights('kernel', 'bias')}`, {
    quantization_config: null,
  }),
  DepthwiseConv2D: layersClass(
    `depth_multiplier dilation_rate ${convolution} ${weights('depthwise', 'bias')}`,
  ),
  Dot: layersClass('axes normalize'),
  Dropout: layersClass('rate noise_shape'),
  ELU: layersClass('', { alpha: 1 }),
  Embedding: layersClass(`input_dim output_dim mask_zero activity_regularizer ${weights('embeddings')}`, {
    quantization_config: null,
  }),
  Flatten: layersClass('data_format'),
  GaussianDropout: layersClass('rate'),
  GaussianNoise: layersClass('stddev'),
  GlobalAveragePooling1D: globalPool1d,
  GlobalAveragePooling2D: globalPool,
  GlobalMaxPooling1D: globalPool1d,
  GlobalMaxPooling2D: globalPool,
  GRU: layersClass(`${steps} ${gru} activity_regularizer`, gruFixed),
  GRUCell: layersClass(gru, gruFixed),
  LayerNormalization: layersClass(`axis epsilon center scale ${weights('beta', 'gamma')}`, {
    rms_scaling: false,
  }),
  LeakyReLU: layersClass('negative_slope', {}, { negative_slope: 'alpha' }),
  LSTM: layersClass(`${steps} ${lstm} activity_regularizer`),
  LSTMCell: layersClass(lstm),
  Masking: layersClass('mask_value'),
  Maximum: merge,
  MaxPooling1D: pool1d,
  MaxPooling2D: pool,
  Minimum: merge,
  Multiply: merge,
  Permute: layersClass('dims'),
  PReLU: layersClass(`shared_axes ${weights('alpha')}`),
  ReLU: layersClass('max_value', { negative_slope: 0, threshold: 0 }),
  RepeatVector: layersClass('n'),
  Rescaling: layersClass('scale offset'),
  Reshape: layersClass('target_shape'),
  RNN: layersClass(`${steps} cell`),
  SeparableConv2D: layersClass(
    `filters depth_multiplier dilation_rate ${convolution} ${weights('depthwise', 'pointwise', 'bias')}`,
  ),
  SimpleRNN: layersClass(`${steps} ${cell} activity_regularizer`),
  SimpleRNNCell: layersClass(cell),
  Softmax: layersClass('axis'),
  SpatialDropout1D: layersClass('rate'),
  StackedRNNCells: layersClass('cells'),
  TimeDistributed: layersClass('layer'),
  // TF.js interpolates at other positions than Keras.
  UpSampling2D: layersClass('size data_format', { interpolation: 'nearest' }),
  ZeroPadding2D: layersClass('padding data_format'),
};

/** Returns the TF.js layer for a class of Keras; null if there is none. */
export function layersClassOf(className: string): LayersClass | null {
  return Object.hasOwn(classes, className) ? (classes[className] as LayersClass) : null;
}

/** Activations by Keras's names; TF.js calls `silu` swish, and computes the older `hard_sigmoid`. */
const activations: ReadonlySet<string> = new Set(
  'elu gelu linear log_softmax mish relu relu6 selu sigmoid softmax softplus softsign tanh'.split(' '),
);

/** TF.js's name of an activation; null if it has none. `registered` is the name of a registered function, or null. */
export function layersActivation(name: string, registered: string | null): string | null {
  if (registered === olderHardSigmoid) return 'hard_sigmoid';
  if (registered !== null) return name;
  if (name === 'silu') return 'swish';
  return activations.has(name) ? name : null;
}

/** Initializers of TF.js by Keras's names. */
const initializers: Readonly<Record<string, string>> = {
  LecunNormal: 'LeCunNormal',
  LecunUniform: 'LeCunUniform',
  ...Object.fromEntries(
    [
      'Zeros Ones Constant RandomUniform RandomNormal TruncatedNormal Identity VarianceScaling Orthogonal',
      'GlorotUniform GlorotNormal HeUniform HeNormal',
    ]
      .join(' ')
      .split(' ')
      .map((name) => [name, name]),
  ),
};

export function layersInitializer(className: string): string | null {
  return Object.hasOwn(initializers, className) ? (initializers[className] as string) : null;
}

/** Constraints that TF.js has. */
export const layersConstraints: ReadonlySet<string> = new Set([
  'MaxNorm',
  'MinMaxNorm',
  'NonNeg',
  'UnitNorm',
]);
