/**
 * @file The parts of Keras 3's configurations beyond the options in this library: options that can only have one value
 * here, options that it always writes, and how it records calls.
 */

export interface Dialect {
  /** The module, if it isn't `keras.layers`. */
  readonly module?: string;
  /** Options, in Keras's spelling, that may only have this value in a file. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** Whether the configuration has `activity_regularizer` even if there is none. */
  readonly writesActivityRegularizer?: boolean;
  /** Whether the layer is built when it is created, so that no shape is written for it. */
  readonly builtWhenMade?: boolean;
  /** The `training` that its calls record if it wasn't given: the default of Keras's `call`, if that has one. */
  readonly recordsTraining?: boolean;
  /** Whether its calls record `mask`, null if there is none. */
  readonly recordsMask?: boolean;
  /** Whether the configuration has no `trainable`, and the dtype as a string. */
  readonly plain?: boolean;
  /** Whether the dtype is that of the results, int64 with output mode 'int'. */
  readonly writesIntegers?: boolean;
  /** Whether its inputs are separate arguments rather than one list. */
  readonly spreads?: boolean;
}

const convolution: Dialect = { writesActivityRegularizer: true };
const madeBuilt: Dialect = { builtWhenMade: true };
const noise: Dialect = { builtWhenMade: true, recordsTraining: false };
const recurrent: Dialect = { writesActivityRegularizer: true, recordsTraining: false, recordsMask: true };
const masked: Dialect = { recordsMask: true };
const image: Dialect = { recordsTraining: true };

const dialects: Readonly<Record<string, Dialect>> = {
  Functional: { module: 'keras.src.models.functional', ...masked },
  Sequential: { module: 'keras', ...masked },
  InputLayer: { constants: { sparse: false, ragged: false, optional: false } },
  Dense: { constants: { quantization_config: null } },
  EinsumDense: { writesActivityRegularizer: true, constants: { quantization_config: null } },
  Embedding: { writesActivityRegularizer: true, constants: { quantization_config: null } },
  ReversibleEmbedding: { writesActivityRegularizer: true, constants: { quantization_config: null } },
  Conv1D: convolution,
  Conv2D: convolution,
  Conv3D: convolution,
  Conv1DTranspose: convolution,
  Conv2DTranspose: convolution,
  Conv3DTranspose: convolution,
  DepthwiseConv1D: convolution,
  DepthwiseConv2D: convolution,
  SeparableConv1D: convolution,
  SeparableConv2D: convolution,
  MaxPooling1D: madeBuilt,
  MaxPooling2D: madeBuilt,
  MaxPooling3D: madeBuilt,
  AveragePooling1D: madeBuilt,
  AveragePooling2D: madeBuilt,
  AveragePooling3D: madeBuilt,
  GlobalMaxPooling1D: madeBuilt,
  GlobalMaxPooling2D: madeBuilt,
  GlobalMaxPooling3D: madeBuilt,
  GlobalAveragePooling1D: { ...madeBuilt, ...masked },
  GlobalAveragePooling2D: madeBuilt,
  GlobalAveragePooling3D: madeBuilt,
  Activation: madeBuilt,
  ELU: madeBuilt,
  LeakyReLU: madeBuilt,
  ReLU: madeBuilt,
  Softmax: { ...madeBuilt, ...masked },
  Reshape: madeBuilt,
  Identity: madeBuilt,
  Masking: madeBuilt,
  UnitNormalization: madeBuilt,
  ActivityRegularization: madeBuilt,
  AlphaDropout: noise,
  Discretization: { plain: true },
  HashedCrossing: { plain: true, writesIntegers: true },
  Dropout: noise,
  SpatialDropout1D: { ...noise, plain: true },
  SpatialDropout2D: { ...noise, plain: true },
  SpatialDropout3D: { ...noise, plain: true },
  GaussianDropout: noise,
  GaussianNoise: noise,
  BatchNormalization: masked,
  LayerNormalization: { constants: { rms_scaling: false } },
  Lambda: masked,
  ConvLSTM1D: recurrent,
  ConvLSTM2D: recurrent,
  ConvLSTM3D: recurrent,
  SpectralNormalization: { recordsTraining: false },
  SimpleRNN: recurrent,
  GRU: recurrent,
  LSTM: recurrent,
  RNN: { recordsTraining: false, recordsMask: true },
  Bidirectional: masked,
  TimeDistributed: masked,
  AugMix: image,
  AutoContrast: image,
  CenterCrop: image,
  ContrastLimitedAdaptiveHistogramEqualization: image,
  CutMix: image,
  Equalization: image,
  MixUp: image,
  RandAugment: image,
  RandomBrightness: image,
  RandomColorDegeneration: image,
  RandomColorJitter: image,
  RandomContrast: image,
  RandomCrop: image,
  RandomElasticTransform: image,
  RandomErasing: image,
  RandomFlip: image,
  RandomGaussianBlur: image,
  RandomGrayscale: image,
  RandomHue: image,
  RandomInvert: image,
  RandomPerspective: image,
  RandomPosterization: image,
  RandomRotation: image,
  RandomSaturation: image,
  RandomSharpness: image,
  RandomShear: image,
  RandomTranslation: image,
  RandomZoom: image,
  Resizing: image,
  Solarization: image,
  Pipeline: { ...image, ...masked },
  GroupQueryAttention: {
    writesActivityRegularizer: true,
    spreads: true,
  },
  MultiHeadAttention: {
    writesActivityRegularizer: true,
    spreads: true,
  },
};

/**
 * The key of a layer whose calls use the masks of their inputs whatever else they are called with, as all calls did before Keras 3.
 * It stays in files that are saved from such a model: Keras reads past it.
 */
export const allMasksKey = 'uses_all_masks';

/** Returns the dialect of a class; empty for classes of the app. */
export function dialectOf(className: string): Dialect {
  return Object.hasOwn(dialects, className) ? (dialects[className] as Dialect) : {};
}
