/** @file The checkpoints of Whisper. */
import type { JsonObject } from '../../keras/json/document.ts';
import { activationName, type ConfigReader } from '../checkpoints/configReader.ts';
import type { Family } from '../checkpoints/family.ts';
import { each, type Modules, onlyPositions, prefixed } from '../checkpoints/modules.ts';
import { tokensIn } from '../checkpoints/tokensIn.ts';
import type { CachedMultiHeadAttention } from '../layers/cachedMultiHeadAttention.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';
import { AudioToText } from './audioToText.ts';
import { ofParts } from './ofParts.ts';
import { WhisperBackbone } from './whisperBackbone.ts';
import { speechIn } from './whisperSpeech.ts';
import { WhisperDecoder, type WhisperDecoderOptions } from './whisperDecoder.ts';
import { WhisperEncoder, type WhisperEncoderOptions } from './whisperEncoder.ts';

/** The options of both parts. */
export interface WhisperSettings {
  readonly encoder: WhisperEncoderOptions;
  readonly decoder: WhisperDecoderOptions;
}

/** The checkpoints of Whisper. */
export const whisper: Family<WhisperBackbone, WhisperSettings> = {
  modelType: 'whisper',
  architecture: 'WhisperModel',
  backboneTask: 'audioBackbone',
  prefix: 'model',
  create: (settings) => create(settings),
  read: (config) => {
    config.requireValue('is_encoder_decoder', true);
    config.requireValue('tie_word_embeddings', true);
    config.requireValue('apply_spec_augment', false);
    // Of training, of a classifier, of timestamps, what the number of layers says again, and a factor that transformers never applies.
    config.leave(
      'encoder_layerdrop',
      'decoder_layerdrop',
      'activation_dropout',
      'init_std',
      'median_filter_width',
    );
    config.leave('use_weighted_layer_sum', 'classifier_proj_size', 'num_hidden_layers', 'forced_decoder_ids');
    config.leave('scale_embedding');
    config.leave('mask_time_prob', 'mask_time_length', 'mask_time_min_masks');
    config.leave('mask_feature_prob', 'mask_feature_length', 'mask_feature_min_masks');
    const both = {
      hiddenDim: config.integer('d_model', 384),
      activation: config.activation('activation_function', 'gelu'),
      dropout: config.number('dropout', 0),
      attentionDropout: config.number('attention_dropout', 0),
    };
    return {
      encoder: {
        name: 'encoder',
        numMels: config.integer('num_mel_bins', 80),
        maxSequenceLength: 2 * config.integer('max_source_positions', 1500),
        ...part(config, 'encoder'),
        ...both,
      },
      decoder: {
        name: 'decoder',
        vocabularySize: config.integer('vocab_size', 51_865),
        maxSequenceLength: config.integer('max_target_positions', 448),
        ...part(config, 'decoder'),
        ...both,
      },
    };
  },
  write: ({ encoder, decoder }) => ({
    is_encoder_decoder: true,
    d_model: decoder.hiddenDim,
    activation_function: activationName(decoder.activation),
    dropout: decoder.dropout,
    attention_dropout: decoder.attentionDropout,
    num_mel_bins: encoder.numMels,
    max_source_positions: encoder.maxSequenceLength / 2,
    vocab_size: decoder.vocabularySize,
    max_target_positions: decoder.maxSequenceLength,
    encoder_layers: encoder.numLayers,
    encoder_attention_heads: encoder.numHeads,
    encoder_ffn_dim: encoder.intermediateDim,
    decoder_layers: decoder.numLayers,
    decoder_attention_heads: decoder.numHeads,
    decoder_ffn_dim: decoder.intermediateDim,
  }),
  modules: ({ encoder, decoder }) => ({
    ...prefixed('encoder', {
      conv1: encoder.firstConvolution,
      conv2: encoder.secondConvolution,
      embed_positions: encoder.positionEmbedding,
      ...blocks(encoder.transformerLayers),
      layer_norm: encoder.layerNorm,
    }),
    ...prefixed('decoder', {
      embed_tokens: decoder.embeddings.tokenEmbedding,
      // PEFT looks its adapters up by the numbers of tokens.
      embed_positions: onlyPositions('weight', decoder.embeddings.positionEmbedding),
      ...blocks(decoder.transformerLayers),
      layer_norm: decoder.layerNorm,
    }),
  }),
  heads: {
    audioToText: {
      architecture: 'WhisperForConditionalGeneration',
      reverse: 'proj_out',
      create: (backbone, { stopTokens, generation }) =>
        new AudioToText({
          backbone,
          stopTokens,
          suppressedTokens: tokensOf(backbone, generation, 'suppress_tokens'),
          suppressedFirstTokens: tokensOf(backbone, generation, 'begin_suppress_tokens'),
          ...speechIn(generation, backbone.decoder.vocabularySize),
        }),
      // Logits are products with the vectors of tokens.
      modules: () => ({}),
    },
  },
  leftOut: /^proj_out\.weight$/,
};

const create = (options: WhisperSettings): WhisperBackbone =>
  ofParts(
    () => new WhisperEncoder(options.encoder),
    () => new WhisperDecoder(options.decoder),
    (encoder, decoder) => new WhisperBackbone({ encoder, decoder }),
  );

const part = (config: ConfigReader, name: 'encoder' | 'decoder') => ({
  numLayers: config.integer(`${name}_layers`, 4),
  numHeads: config.integer(`${name}_attention_heads`, 6),
  intermediateDim: config.integer(`${name}_ffn_dim`, 1536),
});

const tokensOf = ({ decoder }: WhisperBackbone, fields: JsonObject, name: string) =>
  tokensIn(name, fields[name], decoder.vocabularySize);

const blocks = (layers: readonly TransformerBlock[]): Modules =>
  each('layers', layers, (block) => ({
    ...attention('self_attn', block.attention),
    self_attn_layer_norm: block.attentionNorm,
    ...(block.encoderAttention ? attention('encoder_attn', block.encoderAttention) : {}),
    encoder_attn_layer_norm: block.encoderAttentionNorm,
    fc1: block.feedForward?.intermediateDense ?? null,
    fc2: block.feedForward?.outputDense ?? null,
    final_layer_norm: block.feedForwardNorm,
  }));

const attention = (name: string, layer: CachedMultiHeadAttention | null): Modules =>
  prefixed(name, {
    q_proj: layer?.queryDense ?? null,
    k_proj: layer?.keyDense ?? null,
    v_proj: layer?.valueDense ?? null,
    out_proj: layer?.outputDense ?? null,
  });
