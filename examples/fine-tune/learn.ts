/** @file Learning a text: adapters of all projections, trained by `fit`. */
import type { CausalLM } from 'retrograd/hub';
import { losses, optimizers } from 'retrograd/keras';
import { rowsOf } from './rows.ts';

/** What is known after a pass over the text. */
export interface Pass {
  /** Counted from 1. */
  readonly number: number;
  readonly loss: number;
  /** Of the text that is held back; null for a short text. */
  readonly heldBackLoss: number | null;
}

export interface Learning {
  readonly net: CausalLM;
  readonly tokens: readonly number[];
  readonly passes: number;
  readonly signal: AbortSignal;
  /** The next pass waits for it. */
  onPass(pass: Pass): Promise<void>;
}

/** Adds adapters of a rank, in PEFT's form. The network writes as before, until they have learned. */
export async function addAdapters(net: CausalLM, rank: number): Promise<void> {
  await net.enableLora({ rank, alpha: 2 * rank, targets: 'all-linear', layout: 'peft' });
}

/** Trains the adapters on a text. Resolves after the last pass; rejects with the signal's reason. */
export async function learn({ net, tokens, passes, signal, onPass }: Learning): Promise<void> {
  const { learned, heldBack } = rowsOf(tokens);
  net.compile({
    optimizer: optimizers.adamW({ learningRate: 3e-3 }),
    loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
  });
  try {
    await net.fit(learned.x, learned.y, {
      batchSize: 4,
      epochs: passes,
      validationData: heldBack && [heldBack.x, heldBack.y],
      seed: 1,
      verbose: 0,
      signal,
      callbacks: {
        onEpochEnd: (epoch, { loss = Number.NaN, val_loss: heldBackLoss = null }) =>
          onPass({ number: epoch + 1, loss, heldBackLoss }),
      },
    });
  } finally {
    for (const rows of [learned, heldBack]) {
      rows?.x.dispose();
      rows?.y.dispose();
    }
  }
}
