/** @file Learning labels: a new head, or the head with adapters in the encoder below it, trained by `fit`. */
import type { TokenClassifier } from 'retrograd/hub';
import { losses, optimizers } from 'retrograd/keras';
import type { Rows } from './rows.ts';

/** Sentences of a step. */
const batchSize = 16;

/** The learning rate of the first step. */
const initialLearningRate = 4e-3;

/** Which part learns. */
export type Part = 'head' | 'adapters';

/** The encoder stays as it came. With 'adapters', small matrices next to its own learn as well. */
export async function choosePart(net: TokenClassifier, part: Part): Promise<void> {
  if (part === 'adapters')
    await net.enableLora({ rank: 8, alpha: 16, targets: ['transformer_layer_*'], alsoTrain: ['logits'] });
}

export interface Learning {
  readonly net: TokenClassifier;
  readonly rows: Rows;
  readonly passes: number;
  readonly signal: AbortSignal;
  /** Called after each pass with its number, from 1 on; the next one waits for it. */
  onPass(pass: number, loss: number): Promise<void>;
}

/** Resolves after the last pass; rejects with the signal's reason. */
export async function learn({ net, rows, passes, signal, onPass }: Learning): Promise<void> {
  const decaySteps = passes * Math.ceil(rows.begins.length / batchSize);
  compileFor(net, optimizers.schedules.cosineDecay({ initialLearningRate, decaySteps }));
  await net.fit(rows.x, rows.y, {
    sampleWeight: rows.weights,
    batchSize,
    epochs: passes,
    seed: 1,
    verbose: 0,
    signal,
    callbacks: { onEpochEnd: (epoch, { loss = Number.NaN }) => onPass(epoch + 1, loss) },
  });
}

/** Smaller and smaller steps settle what the first ones found. */
export function compileFor(
  net: TokenClassifier,
  learningRate: number | optimizers.LearningRateSchedule = initialLearningRate,
): void {
  net.compile({
    optimizer: optimizers.adamW({ learningRate }),
    loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
  });
}
