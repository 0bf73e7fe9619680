/** @file MaskedLM: a transformer that fills in tokens that were masked. */
import { layer, number, oneOf } from '../../keras/layers/base/declare.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { LayerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { activated, type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import { OutputBias } from '../layers/outputBias.ts';
import type { TextInputs } from './textBackbone.ts';
import { registered } from './registered.ts';
import { textBackboneKind, TextModel, type TextModelOptions } from './textModel.ts';

/** Options of `MaskedLM`. */
export interface MaskedLMOptions extends TextModelOptions {
  /** The activation of the dense layer before the logits. Default 'gelu'. */
  activation?: TransformerActivation;
  /** Added to the variance in the normalization. Default 1e-12. */
  layerNormEpsilon?: number;
}

/**
 * A backbone that fills in masked tokens: logits are products of a dense layer's normalized outputs with the vectors of the tokens,
 * plus a bias. Shapes: token ids, int32 [batch, length] → logits [batch, length, vocabularySize].
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class MaskedLM extends /* @__PURE__ */ layer<MaskedLMOptions, TextModel>(
  'MaskedLM',
  () => ({
    backbone: textBackboneKind,
    activation: oneOf(transformerActivations, 'gelu'),
    layerNormEpsilon: number({ min: 0, default: 1e-12 }),
  }),
  TextModel,
) {
  readonly intermediateDense: Dense;
  readonly layerNorm: LayerNormalization;
  readonly outputBias = new OutputBias({ name: 'output_bias' });

  constructor(options: MaskedLMOptions) {
    super(options);
    this.intermediateDense = new Dense({ name: 'intermediate_dense', units: this.backbone.hiddenDim });
    this.layerNorm = new LayerNormalization({ name: 'layer_norm', epsilon: this.layerNormEpsilon });
    this.buildLayers();
  }

  get task(): 'maskedLM' {
    return 'maskedLM';
  }

  override build(): void {
    this.outputBias.ensureBuilt([null, this.backbone.tokenEmbedding.inputDim]);
    super.build();
  }

  override call(inputs: TextInputs): Tensor {
    const { intermediateDense, layerNorm, outputBias, activation, backbone } = this;
    const inner = activated(intermediateDense.apply(backbone.apply(inputs)), activation);
    return outputBias.apply(backbone.tokenEmbedding.apply(layerNorm.apply(inner), { reverse: true }));
  }
}

registered(MaskedLM);
registered(OutputBias);
