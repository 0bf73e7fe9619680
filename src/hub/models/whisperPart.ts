/** @file What both parts of Whisper have in common. Radford et al., "Robust speech recognition via large-scale weak supervision", 2022. */
import { checked, integer, type LayerOptions, oneOf } from '../../keras/layers/base/declare.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import type { TransformerOptions } from '../layers/transformerBlock.ts';

/** Options of both parts of Whisper. */
export interface WhisperPartOptions extends LayerOptions {
  /** The number of blocks. */
  numLayers: number;
  /** The number of heads of attention. */
  numHeads: number;
  /** The number of features of a position. */
  hiddenDim: number;
  /** The number of features of a feed-forward layer. */
  intermediateDim: number;
  /** The activation of the feed-forward layers. Default 'gelu'. */
  activation?: TransformerActivation;
  /** Fraction of outputs that is cleared in training. Default 0. */
  dropout?: number;
  /** Fraction of the scores of attention that is cleared in training. Default 0. */
  attentionDropout?: number;
}

/** The table of both parts. */
export const partTable = () => ({
  numLayers: integer(),
  numHeads: integer(),
  hiddenDim: integer(),
  intermediateDim: integer(),
  activation: { ...oneOf(transformerActivations, 'gelu') } as never,
  dropout: checked(requireFraction, 0),
  attentionDropout: checked(requireFraction, 0),
});

/** The options of the blocks of a part. */
export const blockOptions = (name: string, part: WhisperPartOptions): TransformerOptions => ({
  name,
  numHeads: part.numHeads,
  intermediateDim: part.intermediateDim,
  activation: part.activation as TransformerActivation,
  dropout: part.dropout as number,
  attentionDropout: part.attentionDropout as number,
  layerNormEpsilon: 1e-5,
  normalizeFirst: true,
  attentionBias: 'queryValueOutput',
});
