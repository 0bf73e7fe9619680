/** @file SequenceClassifier: a transformer that sorts whole texts into classes. */
import { flag, layer, oneOf } from '../../keras/layers/base/declare.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { Dropout } from '../../keras/layers/regularization/dropout.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { range } from '../../ops/creation/range.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type TextBackbone, textOf, type TextInputs } from './textBackbone.ts';
import { type ClassifierOptions, classifierTable } from './classifierOptions.ts';
import { featuresAt } from './featuresAt.ts';
import { registered } from './registered.ts';
import { textBackboneKind, TextModel } from './textModel.ts';

/** Options of `SequenceClassifier`. */
export interface SequenceClassifierOptions extends ClassifierOptions<TextBackbone> {
  /** Which token stands for the text: the first, as in BERT, or the last that isn't padding, as in GPT-2. Default 'first'. */
  pooling?: 'first' | 'last';
  /** The activation of a dense layer between the token and the classes, 'tanh' in BERT. Default null: no such layer. */
  pooledActivation?: 'tanh' | 'relu' | null;
  /** Whether logits have a bias. Default true. */
  useBias?: boolean;
}

/**
 * A backbone that sorts texts into classes, by the vector of one of their tokens. Shapes: token ids, int32 [batch, length] → logits
 * [batch, numClasses].
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class SequenceClassifier extends /* @__PURE__ */ layer<SequenceClassifierOptions, TextModel>(
  'SequenceClassifier',
  () => ({
    ...classifierTable(textBackboneKind),
    pooling: oneOf(['first', 'last'], 'first'),
    pooledActivation: oneOf(['tanh', 'relu'], null),
    useBias: flag(true),
  }),
  TextModel,
) {
  readonly pooledDense: Dense | null;
  readonly dropoutLayer: Dropout;
  readonly outputDense: Dense;

  constructor(options: SequenceClassifierOptions) {
    super(options);
    const { backbone, pooledActivation: activation, numClasses: units, useBias, dropout: rate } = this;
    this.pooledDense =
      activation && new Dense({ name: 'pooled_dense', units: backbone.hiddenDim, activation });
    this.dropoutLayer = new Dropout({ name: 'output_dropout', rate });
    this.outputDense = new Dense({ name: 'logits', units, useBias });
    this.buildLayers();
  }

  get task(): 'sequenceClassifier' {
    return 'sequenceClassifier';
  }

  override call(inputs: TextInputs): Tensor {
    const { paddingMask = null } = textOf(inputs);
    const features = this.backbone.apply(inputs);
    const pooled = this.pooling === 'first' ? featuresAt(features, 0) : lastOf(features, paddingMask);
    const dense = this.pooledDense ? this.pooledDense.apply(pooled) : pooled;
    return this.outputDense.apply(this.dropoutLayer.apply(dense));
  }
}

registered(SequenceClassifier);

/** The features of the last position that isn't padding. */
function lastOf(x: Tensor, paddingMask: Tensor | null): Tensor {
  const length = x.shape[1] as number;
  if (!paddingMask) return featuresAt(x, length - 1);
  // The largest position among those that are shown.
  const shown = cast(cast(paddingMask, 'bool'), 'int32');
  const positions = mul(shown, range(1, length + 1, 1, { dtype: 'int32' }));
  return featuresAt(x, sub(max(positions, { axis: -1 }), 1));
}
