/** @file WhisperBackbone: both parts of Whisper, from a spectrogram and the beginning of a text to features of its tokens. */
import { layer, type LayerOptions } from '../../keras/layers/base/declare.ts';
import { Model } from '../../keras/models/model.ts';
import type { ClassConfig } from '../../keras/namedObjects.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { backboneKind } from './headModel.ts';
import { registered } from './registered.ts';
import { WhisperDecoder } from './whisperDecoder.ts';
import { WhisperEncoder } from './whisperEncoder.ts';

/** Options of `WhisperBackbone`. */
export interface WhisperBackboneOptions extends LayerOptions {
  /** The encoder of spectrograms. */
  encoder: WhisperEncoder | ClassConfig;
  /** The decoder of texts. */
  decoder: WhisperDecoder | ClassConfig;
}

/** Spectrograms with the beginnings of their texts. */
export type WhisperInputs = {
  /** float32 [batch, frames, bands], of `loadAudioConverter`. */
  readonly encoderFeatures: Tensor;
  /** int32 [batch, length]. */
  readonly tokenIds: Tensor;
  /** bool or integers [batch, length]: 0 where a token is padding. Default: none is. */
  readonly paddingMask?: Tensor;
};

/**
 * Whisper without logits. Shapes: spectrograms [batch, frames, bands] and token ids, int32 [batch, length] → [batch, length, hiddenDim].
 * Errors: ValueError for invalid options; those of both parts.
 */
export class WhisperBackbone extends /* @__PURE__ */ layer<
  WhisperBackboneOptions,
  Model<WhisperInputs, Tensor>
>(
  'WhisperBackbone',
  () => ({
    encoder: backboneKind(WhisperEncoder, 'WhisperEncoder'),
    decoder: backboneKind(WhisperDecoder, 'WhisperDecoder'),
  }),
  Model as never,
) {
  declare readonly encoder: WhisperEncoder;
  declare readonly decoder: WhisperDecoder;

  constructor(options: WhisperBackboneOptions) {
    super(options);
    this.ensureBuilt({ encoderFeatures: [null, null, null], tokenIds: [null, null] } as never);
  }

  get modelType(): string {
    return 'whisper';
  }

  get task(): 'audioBackbone' {
    return 'audioBackbone';
  }

  /** The number of features of a token. */
  get hiddenDim(): number {
    return this.decoder.hiddenDim;
  }

  override call({ encoderFeatures, ...text }: WhisperInputs): Tensor {
    return this.decoder.apply({ ...text, encoderSequence: this.encoder.apply(encoderFeatures) });
  }
}

registered(WhisperBackbone);
