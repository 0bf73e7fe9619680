/** @file What transcriptions use of a network that hears, and the sizes of what it is given. */
import { unrecorded } from '../../ops/define/recorders.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache } from '../layers/attentionCache.ts';
import type { SpeechTokens } from '../models/speechTokens.ts';
import type { Block } from './generation.ts';

/** The part of an AudioToText that transcriptions use. */
export interface Transcriber {
  readonly startTokens: readonly number[];
  readonly stopTokens: readonly number[];
  readonly suppressedTokens: readonly number[];
  readonly suppressedFirstTokens: readonly number[];
  readonly speech: SpeechTokens;
  readonly backbone: {
    readonly encoder: {
      apply(frames: Tensor): Tensor;
      readonly maxSequenceLength: number;
      readonly numMels: number;
    };
    readonly decoder: {
      apply(inputs: object, options: { cache?: AttentionCache; training: boolean }): Tensor;
      readonly tokenEmbedding: { readonly inputDim: number };
      readonly transformerLayers: readonly Block[];
      readonly maxSequenceLength: number;
    };
  };
  logits(features: Tensor): Tensor;
}

/** The frames of a window. */
export const windowOf = (net: Transcriber) => net.backbone.encoder.maxSequenceLength;
/** The number of sounds. */
export const countOf = (frames: Tensor) => frames.shape[0] as number;
/** The number of frames. */
export const lengthOf = (frames: Tensor) => frames.shape[1] as number;

/** The sounds of spectrograms, as the decoder reads them. The caller frees them. */
export function encoded(net: Transcriber, frames: () => Tensor): Tensor {
  return unrecorded(() => tidy(() => keep(net.backbone.encoder.apply(frames()))));
}
