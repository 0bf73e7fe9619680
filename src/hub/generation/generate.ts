/**
 * @file Continues prompts token by token. The prompts are read in one call; then each step reads one token of every text, and is replayed
 * from a recording.
 */
import { compile } from '../../autodiff/compile.ts';
import { ValueError } from '../../core/errors.ts';
import { lazyImport } from '../../core/lazyImport.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { SeedSequence } from '../../ops/define/seeds.ts';
import { sampleTokens } from '../../ops/vocabulary/sampleTokens.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { adjustmentsOf, changedLogits, changesOf } from './adjustments.ts';
import { Generation, type Generator, longestOf, readPrompts, readTokens } from './generation.ts';
import type { GeneratedToken, GenerateOptions, Prompts } from './generateOptions.ts';
import { probable, typical } from './likely.ts';
import { hasEnded, type Settings, settingsOf } from './settings.ts';

/** As `CausalLM.generate`. */
export async function generate(
  model: Generator,
  prompts: Prompts,
  options: GenerateOptions,
): Promise<number[][]> {
  const settings = settingsOf(model, prompts, options);
  if (settings.numBeams > 1) {
    if (settings.onToken) throw knownAtTheEnd('onToken');
    const { searchBeams } = await lazyImport('beams', () => import('./beams.ts'));
    return searchBeams(model, prompts, settings);
  }
  const made: number[][] = [];
  for await (const { token, prompt } of streamed(model, prompts, settings)) {
    made[prompt] ??= [];
    made[prompt].push(token);
  }
  return made;
}

/** As `CausalLM.stream`. */
export async function* stream(
  model: Generator,
  prompts: Prompts,
  options: GenerateOptions,
): AsyncGenerator<GeneratedToken> {
  const settings = settingsOf(model, prompts, options);
  if (settings.numBeams > 1) throw knownAtTheEnd('stream');
  yield* streamed(model, prompts, settings);
}

async function* streamed(
  model: Generator,
  given: Prompts,
  settings: Settings,
): AsyncGenerator<GeneratedToken> {
  const { maxNewTokens, numReturnSequences, signal, onToken } = settings;
  const prompts = given.flatMap((prompt) => new Array<readonly number[]>(numReturnSequences).fill(prompt));
  const texts = prompts.map((prompt) => [...prompt]);
  const isDone = prompts.map(() => false);
  const decoder = new Decoder(model, prompts, settings);
  try {
    for (let step = 0; step < maxNewTokens && isDone.includes(false); step++) {
      signal?.throwIfAborted();
      const tokens = await decoder.next();
      signal?.throwIfAborted();
      for (const [prompt, token] of tokens.entries()) {
        if (isDone[prompt]) continue;
        const text = texts[prompt] as number[];
        text.push(token);
        isDone[prompt] = hasEnded(settings, text);
        onToken?.(token, prompt);
        yield { token, prompt };
      }
    }
  } finally {
    decoder.dispose();
  }
}

function knownAtTheEnd(received: string): ValueError {
  return new ValueError({
    op: 'generate',
    rule: 'the tokens of a search are known at its end.',
    received: `numBeams with ${received}`,
    hint: 'call generate without onToken, or leave out numBeams.',
  });
}

/** The texts of a generation, on the device. */
class Decoder {
  readonly #generation: Generation;
  readonly #step;
  readonly #adjustments;
  /** The texts without their prompts. */
  readonly #made: number[][];
  /** The last tokens, int32 [batch]; null before the first ones. */
  #tokens: Tensor | null = null;

  constructor(
    private readonly model: Generator,
    private readonly prompts: Prompts,
    settings: Settings,
  ) {
    const { maxNewTokens, stops, temperature = 0, topK, topP = 1, minP = 0, typicalP = 1, seed } = settings;
    const maxLength = longestOf(prompts) + maxNewTokens;
    this.#generation = new Generation(model.backbone.transformerLayers, prompts.length, maxLength);
    const seeds = seed === undefined ? null : new SeedSequence(seed);
    const { inputDim } = model.backbone.tokenEmbedding;
    this.#adjustments = adjustmentsOf(settings, prompts, stops, inputDim);
    this.#made = prompts.map(() => []);
    const logits = (features: Tensor, isFirst: boolean, changes: readonly Tensor[]) => {
      const found = model.logits(features, isFirst);
      const changed = changedLogits(model, found, this.#adjustments, changes, isFirst);
      const likely = minP > 0 && temperature > 0 ? probable(changed, minP, temperature) : changed;
      return typicalP < 1 && temperature > 0 ? typical(likely, typicalP, temperature) : likely;
    };
    const draw = (features: Tensor, isFirst: boolean, changes: readonly Tensor[]) =>
      sampleTokens(logits(features, isFirst, changes), null, {
        temperature,
        topK: topK ?? null,
        topP,
        // In a recording, each replay draws the next seed.
        seed: seeds?.draw() as number | undefined,
      });
    const step = (tokens: Tensor, ...changes: Tensor[]) =>
      draw(readTokens(model, this.#generation, tokens), false, changes);
    this.#step = { draw, compiled: compile(step) };
  }

  /** Returns the next token of each text. */
  async next(): Promise<number[]> {
    const before = this.#tokens;
    const changes = unrecorded(() =>
      changesOf(this.model, this.#adjustments, this.#made).map((each) => keep(each)),
    );
    const made = unrecorded(() => (before ? this.#step.compiled(before, ...changes) : this.#first(changes)));
    this.#tokens = keep(made);
    before?.dispose();
    for (const change of changes) change.dispose();
    const tokens = Array.from(await made.data());
    this.#adjustments?.add(tokens);
    for (const [i, token] of tokens.entries()) this.#made[i]?.push(token);
    return tokens;
  }

  dispose(): void {
    this.#tokens?.dispose();
    this.#step.compiled.dispose();
    this.#generation.dispose();
  }

  /** The tokens that follow the prompts. */
  #first(changes: readonly Tensor[]): Tensor {
    return tidy(() =>
      this.#step.draw(readPrompts(this.model, this.#generation, this.prompts), true, changes),
    );
  }
}
