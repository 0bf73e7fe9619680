/**
 * @file Searches for the most probable texts as a whole. At each step, the best continuations of all texts that are kept of a prompt are
 * chosen among. Token for token, and with the scores in float32, as transformers' `_beam_search`.
 */
import { compile } from '../../autodiff/compile.ts';
import { logSoftmax } from '../../ops/activations/softmax.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { topK } from '../../ops/sorting/topK.ts';
import { tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { adjustmentsOf, changedLogits, changesOf } from './adjustments.ts';
import { Generation, type Generator, longestOf, readPrompts, readTokens } from './generation.ts';
import type { Prompts } from './generateOptions.ts';
import { hasEnded, type Settings } from './settings.ts';

/** As `generate`, with `numBeams` above 1. */
export async function searchBeams(
  model: Generator,
  prompts: Prompts,
  settings: Settings,
): Promise<number[][]> {
  const { numBeams, maxNewTokens, stops, signal } = settings;
  const { inputDim: count } = model.backbone.tokenEmbedding;
  const rows = prompts.flatMap((prompt) => new Array<readonly number[]>(numBeams).fill(prompt));
  const searches = prompts.map((prompt) => new Search(prompt, settings));
  const adjustments = adjustmentsOf(settings, rows, stops, count);
  const k = Math.min(count, keptOf(settings));
  const best = (features: Tensor, isFirst: boolean, changes: readonly Tensor[]) => {
    const found = logSoftmax(model.logits(features, isFirst));
    return topK(changedLogits(model, found, adjustments, changes, isFirst), { k });
  };
  const generation = new Generation(
    model.backbone.transformerLayers,
    rows.length,
    longestOf(prompts) + maxNewTokens,
  );
  const step = compile((tokens: Tensor, ...changes: Tensor[]) =>
    best(readTokens(model, generation, tokens), false, changes),
  );
  let made: readonly (readonly number[])[] = rows.map(() => []);
  const read = async (tokens: readonly number[] | null) => {
    const [values, indices] = unrecorded(() =>
      tidy(() => {
        const changes = changesOf(model, adjustments, made);
        if (tokens === null) return best(readPrompts(model, generation, rows), true, changes).map(keep);
        return step(tensor([...tokens], { dtype: 'int32' }), ...changes).map(keep);
      }),
    ) as [Tensor, Tensor];
    try {
      return [await values.data(), await indices.data()] as const;
    } finally {
      values.dispose();
      indices.dispose();
    }
  };
  try {
    let tokens: number[] | null = null;
    while (searches.some(({ isDone }) => !isDone)) {
      signal?.throwIfAborted();
      const [values, indices] = await read(tokens);
      signal?.throwIfAborted();
      for (const [i, search] of searches.entries()) {
        const at = (beam: number, rank: number) => (i * numBeams + beam) * k + rank;
        const list = Array.from({ length: numBeams * k }, (_, j) => {
          const [beam, rank] = [Math.floor(j / k), j % k];
          return {
            beam,
            token: indices[at(beam, rank)] as number,
            logProbability: values[at(beam, rank)] as number,
          };
        });
        search.advance(list);
      }
      const running = searches.flatMap(({ running: texts }, i) =>
        texts.map(({ beam, text }) => ({ row: i * numBeams + beam, text, prompt: prompts[i]?.length })),
      );
      unrecorded(() => generation.reorder(running.map(({ row }) => row)));
      adjustments?.replace(running.map(({ text }) => text));
      made = running.map(({ text, prompt }) => text.slice(prompt));
      tokens = running.map(({ text }) => text.at(-1) as number);
    }
    return searches.flatMap((search) => search.best());
  } finally {
    step.dispose();
    generation.dispose();
  }
}

/** How many continuations are chosen among: enough of them don't end, whichever stop tokens others have. */
const keptOf = ({ numBeams, stops }: Settings) => Math.max(2, 1 + stops.size) * numBeams;

/** A token that may follow one of the texts. */
interface Candidate {
  readonly beam: number;
  readonly token: number;
  readonly logProbability: number;
}

interface Text {
  /** The number of the text that it continues. */
  readonly beam: number;
  /** With the prompt. */
  readonly text: readonly number[];
  readonly score: number;
  readonly hasEnded: boolean;
}

/** Below any score, and added to those that may not be chosen. */
const never = -1e9;

const sum = (a: number, b: number) => Math.fround(a + b);

/** The best `count`; those before others stay before them where scores are equal. */
const bestOf = <T extends { readonly score: number }>(list: readonly T[], count: number): T[] =>
  [...list].sort((a, b) => b.score - a.score).slice(0, count);

/** The search for the continuations of one prompt. */
class Search {
  running: readonly Text[];
  isDone = false;
  #ended: readonly Text[];
  /** Whether a running text may still be better than those that have ended. */
  #mayImprove = true;

  constructor(
    private readonly prompt: readonly number[],
    private readonly settings: Settings,
  ) {
    const texts = Array.from({ length: settings.numBeams }, (_, beam) => beam);
    const text = prompt;
    // The texts are the same at first: only one is continued.
    this.running = texts.map((beam) => ({ beam, text, score: beam === 0 ? 0 : never, hasEnded: false }));
    this.#ended = texts.map((beam) => ({ beam, text, score: never, hasEnded: false }));
  }

  /** Goes on by one token. */
  advance(candidates: readonly Candidate[]): void {
    if (this.isDone) return;
    const { settings, prompt } = this;
    const { numBeams, maxNewTokens } = settings;
    const scored = candidates.map(({ beam, token, logProbability }) => {
      const { score, text } = this.running[beam] as Text;
      return { beam, text: [...text, token], score: sum(logProbability, score) };
    });
    const length = (this.running[0] as Text).text.length + 1 - prompt.length;
    const found = bestOf(scored, keptOf(settings)).map((each): Text => {
      const isLast = length >= maxNewTokens;
      return { ...each, hasEnded: isLast || hasEnded(settings, each.text) };
    });
    this.#end(found, length);
    this.running = bestOf(
      found.map((each) => (each.hasEnded ? { ...each, score: sum(each.score, never) } : each)),
      numBeams,
    );
    this.#mayImprove &&= this.#isPromising(length);
    const isFull = settings.earlyStopping === true && this.#ended.every(({ hasEnded: isEnd }) => isEnd);
    this.isDone = !this.#mayImprove || isFull || found.every(({ hasEnded: isEnd }) => isEnd);
  }

  /** Keeps the best of the texts that end now, and of those before. */
  #end(found: readonly Text[], length: number): void {
    const { numBeams } = this.settings;
    const ended = found.map((each, rank): Text => {
      const isChosen = each.hasEnded && rank < numBeams;
      const score = this.#normalized(each.score, length);
      return { ...each, score: isChosen ? score : sum(score, never), hasEnded: isChosen };
    });
    this.#ended = bestOf([...this.#ended, ...ended], numBeams);
  }

  /** Whether the best running text could be better than the worst that has ended. */
  #isPromising(length: number): boolean {
    const { earlyStopping, lengthPenalty, maxNewTokens } = this.settings;
    const longest = earlyStopping === 'never' && lengthPenalty > 0 ? maxNewTokens : length;
    const possible = this.#normalized((this.running[0] as Text).score, longest);
    const worst = Math.min(...this.#ended.map(({ score }) => score));
    return this.#ended.some(({ hasEnded: isEnd }) => possible > (isEnd ? worst : never));
  }

  #normalized(score: number, length: number): number {
    return Math.fround(score / Math.fround(length ** this.settings.lengthPenalty));
  }

  /** The best continuations, without the prompt. */
  best(): number[][] {
    const { numReturnSequences } = this.settings;
    return this.#ended.slice(0, numReturnSequences).map(({ text }) => text.slice(this.prompt.length));
  }
}
