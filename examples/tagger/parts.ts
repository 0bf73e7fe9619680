/** @file Which part of the network was trained, by what its weights say of where they come from. */
import { explainHistory, type Variable } from 'retrograd';
import type { TokenClassifier } from 'retrograd/hub';

export interface PartOfNetwork {
  readonly name: string;
  /** Number of values, and how many of them learn. */
  readonly values: number;
  readonly learned: number;
  /** Where the values that don't learn, or all if they do, come from. */
  readonly history: string;
}

/** The parts from the tokens to the labels. */
export function partsOf({ backbone, outputDense }: TokenClassifier): PartOfNetwork[] {
  const blocks = backbone.transformerLayers.map((block, i) => [`layer ${i + 1}`, block.weights] as const);
  const inBlocks = new Set<Variable>(blocks.flatMap(([, weights]) => weights));
  const embeddings = backbone.weights.filter((weight) => !inBlocks.has(weight));
  return [['embeddings', embeddings] as const, ...blocks, ['head', outputDense.weights] as const].map(
    ([name, weights]) => {
      const learned = weights.filter(({ trainable }) => trainable);
      const kept = weights.filter(({ trainable }) => !trainable);
      return {
        name,
        values: valuesIn(weights),
        learned: valuesIn(learned),
        history: [wordsOf('Kept', kept), wordsOf('Learned', learned)].filter(Boolean).join(' '),
      };
    },
  );
}

/** What the first of some weights says, as all of them do. */
function wordsOf(how: string, [weight]: readonly Variable[]): string {
  return weight ? `${how}: ${explainHistory(weight).why}` : '';
}

const valuesIn = (weights: readonly Variable[]) => weights.reduce((sum, { size }) => sum + size, 0);
