/** @file AudioToText: writes what is said in a sound. */
import { lazyImport } from '../../core/lazyImport.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { checked, layer, type LayerOptions } from '../../keras/layers/base/declare.ts';
import { Model } from '../../keras/models/model.ts';
import type { ClassConfig } from '../../keras/namedObjects.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type GenerateOptions, generateOptionNames } from '../generation/generateOptions.ts';
import type { AttentionCache } from '../layers/attentionCache.ts';
import { backboneKind } from './headModel.ts';
import { registered } from './registered.ts';
import { tokenList } from './tokenList.ts';
import { WhisperBackbone, type WhisperInputs } from './whisperBackbone.ts';

/** Options of `AudioToText`. */
export interface AudioToTextOptions extends LayerOptions {
  /** The transformer below the logits. */
  backbone: WhisperBackbone | ClassConfig;
  /** Tokens that a text begins with: that of its start, its language, its task. Default: none. */
  startTokens?: readonly number[];
  /** Tokens that end a text. Default: none. */
  stopTokens?: readonly number[];
  /** Tokens that are never made. Default: none. */
  suppressedTokens?: readonly number[];
  /** Tokens that no text begins with, after `startTokens`. Default: none. */
  suppressedFirstTokens?: readonly number[];
}

/** Options of `transcribe`. */
export interface TranscribeOptions extends GenerateOptions {
  /** The tokens that each text begins with. Default: those of the model. */
  readonly startTokens?: readonly number[] | undefined;
}

const optionNames: OptionNames<TranscribeOptions> = { startTokens: false, ...generateOptionNames };

/**
 * Writes what is said in sounds. Logits are products with the vectors of the tokens. Shapes: spectrograms [batch, frames, bands] and token
 * ids, int32 [batch, length] → [batch, length, vocabularySize], where the logits at a position are of the token that follows.
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class AudioToText extends /* @__PURE__ */ layer<AudioToTextOptions, Model<WhisperInputs, Tensor>>(
  'AudioToText',
  () => ({
    backbone: backboneKind(WhisperBackbone, 'WhisperBackbone'),
    startTokens: checked(tokenList, []),
    stopTokens: checked(tokenList, []),
    suppressedTokens: checked(tokenList, []),
    suppressedFirstTokens: checked(tokenList, []),
  }),
  Model as never,
) {
  declare readonly backbone: WhisperBackbone;

  constructor(options: AudioToTextOptions) {
    super(options);
    this.ensureBuilt({ encoderFeatures: [null, null, null], tokenIds: [null, null] } as never);
  }

  get task(): 'audioToText' {
    return 'audioToText';
  }

  override call(inputs: WhisperInputs): Tensor {
    return this.#logits(this.backbone.apply(inputs));
  }

  #logits(features: Tensor): Tensor {
    return this.backbone.decoder.tokenEmbedding.apply(features, { reverse: true });
  }

  /**
   * Writes what is said in sounds, as spectrograms [batch, frames, bands]. Resolves to the tokens of each, without `startTokens` and with
   * the stop token if there is one. The encoder runs once, and its keys and values are kept on the device for the time of a generation.
   *
   *     const [tokens] = await net.transcribe(convert(samples), { startTokens: [50258, 50259, 50359, 50363] });
   *
   * Errors: ValueError for unknown tokens and invalid options; the signal's reason.
   */
  async transcribe(encoderFeatures: Tensor, options: TranscribeOptions = {}): Promise<number[][]> {
    checkOptions('transcribe', options, optionNames);
    const { startTokens = this.startTokens, ...others } = options;
    const { generate } = await lazyImport('generation', () => import('../generation/generate.ts'));
    const { decoder, encoder } = this.backbone;
    const sounds = unrecorded(() => tidy(() => keep(encoder.apply(encoderFeatures))));
    const [always, atFirst] = [this.suppressedTokens, this.suppressedFirstTokens];
    const masks = { later: this.#mask(always), first: this.#mask([...always, ...atFirst]) };
    const generator = {
      stopTokens: this.stopTokens,
      backbone: {
        apply: (tokenIds: Tensor, call: { cache: AttentionCache; training: boolean }) =>
          decoder.apply({ tokenIds, encoderSequence: sounds }, call),
        tokenEmbedding: decoder.tokenEmbedding,
        transformerLayers: decoder.transformerLayers,
      },
      logits: (features: Tensor, isFirst: boolean) => {
        const mask = isFirst ? masks.first : masks.later;
        return mask ? add(this.#logits(features), mask) : this.#logits(features);
      },
    };
    try {
      const prompts = Array.from({ length: sounds.shape[0] as number }, () => startTokens);
      return await generate(generator, prompts, others);
    } finally {
      for (const kept of [sounds, masks.later, masks.first]) kept?.dispose();
    }
  }

  /** What is added to logits, so that some tokens are never the largest; null for none. */
  #mask(tokens: readonly number[]): Tensor | null {
    if (tokens.length === 0) return null;
    const values = new Float32Array(this.backbone.decoder.vocabularySize);
    for (const token of tokens) if (token < values.length) values[token] = -1e30;
    return keep(tensor(values));
  }
}

registered(AudioToText);
