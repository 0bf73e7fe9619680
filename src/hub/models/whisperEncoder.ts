/** @file WhisperEncoder: the part of Whisper that hears. */
import { ShapeError } from '../../core/errors.ts';
import { describe, type OpenShape } from '../../core/shape.ts';
import { integer, layer } from '../../keras/layers/base/declare.ts';
import { Conv1D } from '../../keras/layers/convolutional/conv.ts';
import { layerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import { dropout } from '../../keras/layers/regularization/dropout.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { activated } from '../layers/activationNames.ts';
import { positionEmbedding } from '../layers/positionEmbedding.ts';
import { type TransformerEncoder, transformerEncoder } from '../layers/transformerBlock.ts';
import { Backbone } from './backbone.ts';
import { registered } from './registered.ts';
import { blockOptions, partTable, type WhisperPartOptions } from './whisperPart.ts';

/** Options of `WhisperEncoder`. */
export interface WhisperEncoderOptions extends WhisperPartOptions {
  /** The number of bands of a spectrogram. Default 80. */
  numMels?: number;
  /** The number of frames of a spectrogram. Default 3000. */
  maxSequenceLength?: number;
}

/**
 * Whisper's encoder of spectrograms. Shapes: [batch, maxSequenceLength, numMels] → [batch, maxSequenceLength / 2, hiddenDim].
 * `loadAudioConverter` makes spectrograms of sounds.
 * Errors: ValueError for invalid options; ShapeError for spectrograms of another length.
 */
export class WhisperEncoder extends /* @__PURE__ */ layer<WhisperEncoderOptions, Backbone<Tensor>>(
  'WhisperEncoder',
  () => ({
    ...partTable(),
    numMels: integer({ default: 80 }),
    maxSequenceLength: integer({ default: 3000, min: 2 }),
  }),
  Backbone,
) {
  readonly firstConvolution = new Conv1D({ name: 'conv_1', ...this.#convolution, padding: 'same' });

  readonly secondConvolution = new Conv1D({ name: 'conv_2', ...this.#convolution, strides: 2 });

  readonly positionEmbedding = positionEmbedding({
    name: 'position_embedding',
    sequenceLength: Math.ceil(this.maxSequenceLength / 2),
  });

  readonly embeddingsDropout = dropout({ name: 'embeddings_dropout', rate: this.dropout });

  readonly layerNorm = layerNormalization({ name: 'layer_norm', epsilon: 1e-5 });

  constructor(options: WhisperEncoderOptions) {
    super(options);
    // They are sines, which aren't trained.
    this.positionEmbedding.trainable = false;
    this.buildLayers([null, this.maxSequenceLength, this.numMels]);
  }

  get modelType(): string {
    return 'whisper_encoder';
  }

  get #convolution() {
    return { filters: this.hiddenDim, kernelSize: 3 };
  }

  override build(inputShape: OpenShape): void {
    this.firstConvolution.ensureBuilt(inputShape);
    this.secondConvolution.ensureBuilt([null, null, this.hiddenDim]);
    super.build(inputShape);
  }

  protected override block(name: string): TransformerEncoder {
    return transformerEncoder(blockOptions(name, this));
  }

  override call(spectrograms: Tensor): Tensor {
    let x = this.#embed(spectrograms);
    for (const block of this.transformerLayers) x = block.apply(x);
    return this.layerNorm.apply(x);
  }

  /** The features below the first block, and after each, the last ones normalized. */
  override hiddenStates(spectrograms: Tensor): Tensor[] {
    const states = [this.#embed(spectrograms)];
    for (const block of this.transformerLayers) states.push(block.apply(states.at(-1) as Tensor));
    return [...states.slice(0, -1), this.layerNorm.apply(states.at(-1) as Tensor)];
  }

  #embed(spectrograms: Tensor): Tensor {
    this.#requireLength(spectrograms);
    const first = activated(this.firstConvolution.apply(spectrograms), 'gelu');
    const padded = pad(first, {
      paddings: [
        [0, 0],
        [1, 1],
        [0, 0],
      ],
    });
    const x = activated(this.secondConvolution.apply(padded), 'gelu');
    return this.embeddingsDropout.apply(add(x, this.positionEmbedding.apply(x)));
  }

  #requireLength({ shape }: Tensor): void {
    const { maxSequenceLength: length, numMels } = this;
    if (shape.length === 3 && shape[1] === length && shape[2] === numMels) return;
    throw new ShapeError({
      op: this.name,
      rule: `spectrograms are [batch, ${length}, ${numMels}]: shorter sounds are filled up with silence.`,
      received: describe(shape),
      hint: 'loadAudioConverter makes them as the network was trained.',
    });
  }
}

registered(WhisperEncoder);
