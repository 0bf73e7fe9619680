/** @file Models that classify sequences, tokens and images. */
import { checked, flag, integer, layer, oneOf } from '../../keras/layers/base/declare.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import { isListOf } from '../../core/lists.ts';
import type { Option } from '../../keras/options/option.ts';
import { backboneKind, HeadModel, type HeadModelOptions } from './headModel.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { Dropout } from '../../keras/layers/regularization/dropout.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { range } from '../../ops/creation/range.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type TextBackbone, type TextInputs, textOf } from './textBackbone.ts';
import { featuresAt } from './featuresAt.ts';
import { registered } from './registered.ts';
import { textBackboneKind, TextModel, type TextModelOptions } from './textModel.ts';
import { ImageBackbone } from './imageBackbone.ts';

interface ClassifierOptions<Net> extends HeadModelOptions<Net> {
  /** The number of classes. */
  numClasses: number;
  /** The names of the classes. Default null: they have none. */
  labels?: readonly string[] | null;
  /** Fraction of the features that is cleared in training. Default 0.1. */
  dropout?: number;
}

/** The table of a classifier over a kind of backbone. */
const classifierTable = (backbone: Option<never>) => ({
  backbone,
  numClasses: integer(),
  labels: checked(names, null),
  dropout: checked(requireFraction, 0.1),
});

function names(op: string, what: string, given: readonly string[]): readonly string[] {
  if (isListOf(given, (name) => typeof name === 'string')) return given;
  throw new ValueError({
    op,
    rule: `\`${what}\` are the names of the classes.`,
    received: `${what}: ${describe(given)}`,
    hint: "pass a list such as ['negative', 'positive'].",
  });
}

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

/** A backbone with logits for each token. */
abstract class TokenModel extends TextModel {
  declare readonly dropout: number;
  readonly dropoutLayer: Dropout;
  readonly outputDense: Dense;

  constructor(options: TextModelOptions) {
    super(options);
    this.dropoutLayer = new Dropout({ name: 'output_dropout', rate: this.dropout });
    this.outputDense = new Dense({ name: 'logits', units: this.numLogits() });
    this.buildLayers();
  }

  protected abstract numLogits(): number;

  override call(inputs: TextInputs): Tensor {
    return this.outputDense.apply(this.dropoutLayer.apply(this.backbone.apply(inputs)));
  }
}

/** Options of `TokenClassifier`. */
export interface TokenClassifierOptions extends ClassifierOptions<TextBackbone> {}

/**
 * A backbone that sorts tokens into classes. Shapes: token ids, int32 [batch, length] → logits [batch, length, numClasses].
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class TokenClassifier extends /* @__PURE__ */ layer<TokenClassifierOptions, TokenModel>(
  'TokenClassifier',
  () => classifierTable(textBackboneKind),
  TokenModel,
) {
  protected override numLogits(): number {
    return this.numClasses;
  }

  get task(): 'tokenClassifier' {
    return 'tokenClassifier';
  }
}

registered(TokenClassifier);

/** Options of `QuestionAnswerer`. */
export interface QuestionAnswererOptions extends TextModelOptions {
  /** Fraction of the features that is cleared in training. Default 0. */
  dropout?: number;
}

/**
 * A backbone that finds the answer to a question in a text, both in one sequence. Shapes: token ids, int32 [batch, length] → logits
 * [batch, length, 2] of the token that the answer begins with, and of the one that ends it: softmax over the tokens.
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class QuestionAnswerer extends /* @__PURE__ */ layer<QuestionAnswererOptions, TokenModel>(
  'QuestionAnswerer',
  () => ({ backbone: textBackboneKind, dropout: checked(requireFraction, 0) }),
  TokenModel,
) {
  protected override numLogits(): number {
    return 2;
  }

  get task(): 'questionAnswerer' {
    return 'questionAnswerer';
  }
}

registered(QuestionAnswerer);

/** Options of `ImageClassifier`. */
export interface ImageClassifierOptions extends ClassifierOptions<ImageBackbone> {}

/**
 * A backbone that sorts images into classes, by the vector of the whole image. Shapes: images [batch, height, width, channels] → logits
 * [batch, numClasses].
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class ImageClassifier extends /* @__PURE__ */ layer<
  ImageClassifierOptions,
  HeadModel<Tensor, ImageBackbone>
>('ImageClassifier', () => classifierTable(backboneKind(ImageBackbone, 'ViTBackbone')), HeadModel) {
  readonly dropoutLayer: Dropout;
  readonly outputDense: Dense;

  constructor(options: ImageClassifierOptions) {
    super(options);
    this.dropoutLayer = new Dropout({ name: 'output_dropout', rate: this.dropout });
    this.outputDense = new Dense({ name: 'predictions', units: this.numClasses });
    this.buildLayers([null, null, null, null]);
  }

  get task(): 'imageClassifier' {
    return 'imageClassifier';
  }

  override call(images: Tensor): Tensor {
    const whole = featuresAt(this.backbone.apply(images), 0);
    return this.outputDense.apply(this.dropoutLayer.apply(whole));
  }
}

registered(ImageClassifier);
