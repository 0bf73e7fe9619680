/** @file Labels of words, as the network gives them. */
import { argMax, tidy } from 'retrograd';
import type { Network } from './network.ts';
import { rowsOf } from './rows.ts';
import type { Sentence } from './sentences.ts';

/** The number of the label of each word: that of its first token. */
export async function tag(
  { net, coder }: Network,
  sentences: readonly { readonly words: readonly string[] }[],
): Promise<number[][]> {
  const { x, begins, dispose } = rowsOf(coder, sentences);
  try {
    const best = tidy(() => argMax(net.apply(x), { axis: 2 }));
    const values = await best.data();
    const length = best.shape[1] as number;
    best.dispose();
    return begins.map((row, i) => row.map((begin) => values[i * length + begin] as number));
  } finally {
    dispose();
  }
}

/** How many words of names have the right label, and how many others are taken for names. */
export interface Score {
  readonly names: number;
  readonly right: number;
  readonly others: number;
  readonly taken: number;
}

export async function scoreOf(network: Network, sentences: readonly Sentence[]): Promise<Score> {
  const found = await tag(network, sentences);
  const words = sentences.flatMap(({ labels }, i) =>
    labels.map((label, k) => ({ label, found: found[i]?.[k] ?? 0 })),
  );
  const names = words.filter(({ label }) => label > 0);
  const others = words.filter(({ label }) => label === 0);
  return {
    names: names.length,
    right: names.filter((word) => word.found === word.label).length,
    others: others.length,
    taken: others.filter((word) => word.found > 0).length,
  };
}
