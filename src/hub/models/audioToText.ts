/** @file AudioToText: writes what is said in a sound. */
import { lazyImport } from '../../core/lazyImport.ts';
import { checked, layer, type LayerOptions } from '../../keras/layers/base/declare.ts';
import { Model } from '../../keras/models/model.ts';
import type { ClassConfig } from '../../keras/namedObjects.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { SpeechSegment, TranscribeOptions } from '../generation/transcribeOptions.ts';
import { backboneKind } from './headModel.ts';
import { registered } from './registered.ts';
import { type SpeechTokens, speechTokens } from './speechTokens.ts';
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
  /** Tokens of languages, tasks and times. Default: none. */
  speech?: SpeechTokens;
}

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
    speech: checked(speechTokens, {}),
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
    return this.logits(this.backbone.apply(inputs));
  }

  /** The logits of tokens after features of the decoder: [..., hiddenDim] → [..., vocabularySize]. */
  logits(features: Tensor): Tensor {
    return this.backbone.decoder.tokenEmbedding.apply(features, { reverse: true });
  }

  /**
   * Writes what is said in sounds, as spectrograms [batch, frames, bands]. Resolves to the tokens of each, without those that it begins
   * with, and with the stop token if there is one. Longer sounds than the network's window of 30 seconds are read window by window; their
   * tokens include those of times, and no stop tokens, as with `returnTimestamps: true`. The encoder runs once for each window, and its keys
   * and values are kept on the device for the time of a generation.
   *
   *     const [tokens] = await net.transcribe(convert(samples), { language: 'en' });
   *
   * Errors: ValueError for unknown tokens, languages and tasks, and invalid options; ShapeError for spectrograms of other sizes; the
   * signal's reason.
   */
  async transcribe(encoderFeatures: Tensor, options: TranscribeOptions = {}): Promise<number[][]> {
    const { transcribe } = await loadTranscription();
    return transcribe('transcribe', this, encoderFeatures, options);
  }

  /**
   * As `transcribe` with times, in parts: when each begins and ends, in seconds, and its tokens. Sounds may be longer than a window:
   * `convert(samples, { truncate: false })`.
   *
   *     const [parts] = await net.transcribeSegments(frames);
   *     for (const { start, end, tokens } of parts) lines.push([start, end, tokenizer.decode(tokens, { skip_special_tokens: true })]);
   *
   * Errors: as `transcribe`; ValueError for a network without tokens of times.
   */
  async transcribeSegments(
    encoderFeatures: Tensor,
    options: TranscribeOptions = {},
  ): Promise<SpeechSegment[][]> {
    const { streamSegments } = await loadTranscription();
    const parts: SpeechSegment[][] = [];
    for await (const part of streamSegments('transcribeSegments', this, encoderFeatures, options)) {
      parts[part.sound] ??= [];
      parts[part.sound]?.push(part);
    }
    return parts;
  }

  /**
   * As `transcribeSegments`, with the parts of each window as they are known: `for await (const part of net.streamSegments(frames))`. The
   * generation ends where the loop is left.
   */
  async *streamSegments(
    encoderFeatures: Tensor,
    options: TranscribeOptions = {},
  ): AsyncGenerator<SpeechSegment> {
    const { streamSegments } = await loadTranscription();
    yield* streamSegments('streamSegments', this, encoderFeatures, options);
  }

  /**
   * Detects the language of each sound, as spectrograms [batch, frames, bands], from its first window. Resolves to the texts of their tokens:
   * '<|en|>'. Errors: ValueError for a network of one language; ShapeError for spectrograms of other sizes.
   */
  async detectLanguage(encoderFeatures: Tensor): Promise<string[]> {
    const { detectLanguages } = await loadTranscription();
    return detectLanguages('detectLanguage', this, encoderFeatures);
  }
}

const loadTranscription = () => lazyImport('transcription', () => import('../generation/transcription.ts'));

registered(AudioToText);
