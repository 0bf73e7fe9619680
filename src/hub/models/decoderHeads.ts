/** @file The heads of decoders with one matrix of logits, as transformers names them. */
import type { Family, Head, HeadSettings } from '../checkpoints/family.ts';
import { reverseWeights } from '../checkpoints/modules.ts';
import type { TextBackbone } from './textBackbone.ts';
import { CausalLM } from './causalLM.ts';
import { QuestionAnswerer, SequenceClassifier, TokenClassifier } from './classifiers.ts';

/** A head that continues texts, whose matrix is `lm_head` unless it is that of the embeddings. */
export function causalLM(architecture: string): Head<TextBackbone, CausalLM> {
  return {
    architecture,
    reverse: 'lm_head',
    create: (backbone, { stopTokens }) => new CausalLM({ backbone, stopTokens }),
    modules: ({ backbone }) => ({ lm_head: reverseWeights(backbone.tokenEmbedding) }),
  };
}

/** A head that sorts texts into classes by their last token. */
export function lastTokenClassifier(architecture: string): Head<TextBackbone, SequenceClassifier> {
  return {
    architecture,
    create: (backbone, { numClasses, labels }) =>
      new SequenceClassifier({ backbone, numClasses, labels, pooling: 'last', useBias: false, dropout: 0 }),
    modules: ({ outputDense }) => ({ score: outputDense }),
  };
}

/**
 * A head that sorts tokens into classes; `module` is its name in a checkpoint. `dropoutOf` is the dropout of its features, by default
 * that of the configuration, or 0.1.
 */
export function tokenClassifier<Net extends TextBackbone>(
  architecture: string,
  module: string,
  dropoutOf: (backbone: Net, settings: HeadSettings) => number = (_, { dropout }) => dropout ?? 0.1,
): Head<Net, TokenClassifier> {
  return {
    architecture,
    create: (backbone, settings) => {
      const { numClasses, labels } = settings;
      return new TokenClassifier({ backbone, numClasses, labels, dropout: dropoutOf(backbone, settings) });
    },
    modules: ({ outputDense }) => ({ [module]: outputDense }),
  };
}

/** A head that finds answers. `dropout` is that of its features. */
export function questionAnswerer(
  architecture: string,
  prefix?: string,
  dropout: (settings: HeadSettings) => number = () => 0,
): Head<TextBackbone, QuestionAnswerer> {
  return {
    architecture,
    ...(prefix !== undefined && { prefix }),
    create: (backbone, settings) => new QuestionAnswerer({ backbone, dropout: dropout(settings) }),
    modules: ({ outputDense }) => ({ qa_outputs: outputDense }),
  };
}

/** The heads of models called `${name}ForCausalLM` and so on. `answering` is the module around a backbone that finds answers. */
export function decoderHeads(name: string, answering: string): Family['heads'] {
  return {
    questionAnswerer: questionAnswerer(`${name}ForQuestionAnswering`, answering),
    causalLM: causalLM(`${name}ForCausalLM`),
    sequenceClassifier: lastTokenClassifier(`${name}ForSequenceClassification`),
    tokenClassifier: tokenClassifier(`${name}ForTokenClassification`, 'score'),
  };
}
