/** @file WhisperDecoder: the part of Whisper that writes. */
import { integer, layer } from '../../keras/layers/base/declare.ts';
import type { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { layerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import { dropout } from '../../keras/layers/regularization/dropout.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { tokenAndPositionEmbedding } from '../layers/tokenAndPositionEmbedding.ts';
import { type TransformerDecoder, transformerDecoder } from '../layers/transformerBlock.ts';
import { registered } from './registered.ts';
import { TextBackbone, type TextRecord } from './textBackbone.ts';
import { blockOptions, partTable, type WhisperPartOptions } from './whisperPart.ts';

/** Options of `WhisperDecoder`. */
export interface WhisperDecoderOptions extends WhisperPartOptions {
  /** The number of tokens. */
  vocabularySize: number;
  /** The length of the longest text. Default 448. */
  maxSequenceLength?: number;
}

/**
 * Whisper's decoder, which continues texts by what the encoder made of a sound. Shapes: token ids, int32 [batch, length], with
 * `encoderSequence` → [batch, length, hiddenDim].
 * Errors: ValueError for invalid options, and without an `encoderSequence`; ShapeError for a text that is too long.
 */
export class WhisperDecoder extends /* @__PURE__ */ layer<WhisperDecoderOptions, TextBackbone>(
  'WhisperDecoder',
  () => ({ vocabularySize: integer(), ...partTable(), maxSequenceLength: integer({ default: 448 }) }),
  TextBackbone,
) {
  readonly embeddings = tokenAndPositionEmbedding({
    name: 'embeddings',
    vocabularySize: this.vocabularySize,
    sequenceLength: this.maxSequenceLength,
    embeddingDim: this.hiddenDim,
  });

  readonly embeddingsDropout = dropout({ name: 'embeddings_dropout', rate: this.dropout });

  readonly layerNorm = layerNormalization({ name: 'layer_norm', epsilon: 1e-5 });

  constructor(options: WhisperDecoderOptions) {
    super(options);
    this.buildLayers();
  }

  get modelType(): string {
    return 'whisper_decoder';
  }

  get tokenEmbedding(): ReversibleEmbedding {
    return this.embeddings.tokenEmbedding;
  }

  protected override block(name: string): TransformerDecoder {
    return transformerDecoder({ ...blockOptions(name, this), crossAttention: true });
  }

  protected override embed({ tokenIds }: TextRecord, positions: Tensor | null): Tensor {
    return this.embeddingsDropout.apply(this.embeddings.apply(tokenIds, { positions }));
  }

  protected override finish(x: Tensor): Tensor {
    return this.layerNorm.apply(x);
  }
}

registered(WhisperDecoder);
