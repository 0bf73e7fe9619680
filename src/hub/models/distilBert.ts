/** @file DistilBERT: Sanh et al., "DistilBERT, a distilled version of BERT", 2019. It is BERT without segments. */
import { activationName } from '../checkpoints/configReader.ts';
import type { Family } from '../checkpoints/family.ts';
import { each } from '../checkpoints/modules.ts';
import { BertBackbone, type BertBackboneOptions } from './bert.ts';
import { questionAnswerer, tokenClassifier } from './decoderHeads.ts';
import { MaskedLM } from './maskedLM.ts';
import { SequenceClassifier } from './classifiers.ts';

/** DistilBERT's checkpoints. */
export const distilBert: Family<BertBackbone, BertBackboneOptions> = {
  modelType: 'distilbert',
  architecture: 'DistilBertModel',
  prefix: 'distilbert',
  create: (options) => new BertBackbone(options),
  read: (config, task) => {
    config.requireTiedEmbeddings(task);
    // How positions are initialized, and what heads clear in training.
    config.leave('sinusoidal_pos_embds', 'qa_dropout', 'seq_classif_dropout', 'tie_weights_');
    return {
      vocabularySize: config.integer('vocab_size', 30_522),
      numLayers: config.integer('n_layers', 6),
      numHeads: config.integer('n_heads', 12),
      hiddenDim: config.integer('dim', 768),
      intermediateDim: config.integer('hidden_dim', 3072),
      activation: config.activation('activation', 'gelu'),
      dropout: config.number('dropout', 0.1),
      attentionDropout: config.number('attention_dropout', 0.1),
      layerNormEpsilon: 1e-12,
      maxSequenceLength: config.integer('max_position_embeddings', 512),
      numSegments: 0,
    };
  },
  write: (net) => ({
    vocab_size: net.vocabularySize,
    n_layers: net.numLayers,
    n_heads: net.numHeads,
    dim: net.hiddenDim,
    hidden_dim: net.intermediateDim,
    activation: activationName(net.activation),
    dropout: net.dropout,
    attention_dropout: net.attentionDropout,
    max_position_embeddings: net.maxSequenceLength,
  }),
  modules: (net) => ({
    'embeddings.word_embeddings': net.tokenEmbedding,
    'embeddings.position_embeddings': net.positionEmbedding,
    'embeddings.LayerNorm': net.embeddingsLayerNorm,
    ...each(
      'transformer.layer',
      net.transformerLayers,
      ({ attention, attentionNorm, feedForward, feedForwardNorm }) => ({
        'attention.q_lin': attention?.queryDense ?? null,
        'attention.k_lin': attention?.keyDense ?? null,
        'attention.v_lin': attention?.valueDense ?? null,
        'attention.out_lin': attention?.outputDense ?? null,
        sa_layer_norm: attentionNorm,
        'ffn.lin1': feedForward?.intermediateDense ?? null,
        'ffn.lin2': feedForward?.outputDense ?? null,
        output_layer_norm: feedForwardNorm,
      }),
    ),
  }),
  heads: {
    maskedLM: {
      architecture: 'DistilBertForMaskedLM',
      reverse: 'vocab_projector',
      create: (backbone) => new MaskedLM({ backbone, activation: backbone.activation }),
      modules: ({ intermediateDense, layerNorm, outputBias }) => ({
        vocab_transform: intermediateDense,
        vocab_layer_norm: layerNorm,
        vocab_projector: outputBias,
      }),
    },
    sequenceClassifier: {
      architecture: 'DistilBertForSequenceClassification',
      create: (backbone, { numClasses, labels, dropout }) =>
        new SequenceClassifier({
          backbone,
          numClasses,
          labels,
          pooledActivation: 'relu',
          dropout: dropout ?? 0.2,
        }),
      modules: ({ pooledDense, outputDense }) => ({ pre_classifier: pooledDense, classifier: outputDense }),
    },
    tokenClassifier: tokenClassifier(
      'DistilBertForTokenClassification',
      'classifier',
      ({ dropout }) => dropout,
    ),
    questionAnswerer: questionAnswerer('DistilBertForQuestionAnswering', undefined, ({ generation }) =>
      typeof generation.qa_dropout === 'number' ? generation.qa_dropout : 0.1,
    ),
  },
};
