/** @file TokenClassifier: a transformer that sorts each token of a text into classes, such as names of persons and places. */
import { layer } from '../../keras/layers/base/declare.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { Dropout } from '../../keras/layers/regularization/dropout.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { TextBackbone, TextInputs } from './textBackbone.ts';
import { type ClassifierOptions, classifierTable } from './classifierOptions.ts';
import { registered } from './registered.ts';
import { textBackboneKind, TextModel } from './textModel.ts';

/** Options of `TokenClassifier`. */
export interface TokenClassifierOptions extends ClassifierOptions<TextBackbone> {}

/**
 * A backbone that sorts tokens into classes. Shapes: token ids, int32 [batch, length] → logits [batch, length, numClasses].
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class TokenClassifier extends /* @__PURE__ */ layer<TokenClassifierOptions, TextModel>(
  'TokenClassifier',
  () => classifierTable(textBackboneKind),
  TextModel,
) {
  readonly dropoutLayer: Dropout;
  readonly outputDense: Dense;

  constructor(options: TokenClassifierOptions) {
    super(options);
    this.dropoutLayer = new Dropout({ name: 'output_dropout', rate: this.dropout });
    this.outputDense = new Dense({ name: 'logits', units: this.numClasses });
    this.buildLayers();
  }

  get task(): 'tokenClassifier' {
    return 'tokenClassifier';
  }

  override call(inputs: TextInputs): Tensor {
    return this.outputDense.apply(this.dropoutLayer.apply(this.backbone.apply(inputs)));
  }
}

registered(TokenClassifier);
