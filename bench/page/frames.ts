/**
 * @file The frames in which the page runs rows, one for each family, so that no row is affected by the contents of a
 * library's pools and caches after another.
 */
import type { ColdStart } from '../cold/cold.ts';
import { libraries, type Library } from '../job.ts';
import type * as Bench from '../main.ts';
import type { Listed } from '../main.ts';
import { summarize } from '../measure.ts';
import { type RowResult, rowResult } from '../result.ts';
import type { Limits } from '../roofline.ts';
import { type Sizes, sizeListings, sizeRow } from '../start.ts';

export interface FrameOptions {
  budget: number;
  limits: Limits | null;
  /** Called with the current activity. */
  stage(library: Library | null, doing: string): void;
}

/** Globals that the frames' pages define. */
type FrameWindow = Window & { retrogradBench?: typeof Bench; coldStart?: ColdStart };
const windowOf = (frame: HTMLIFrameElement) => frame.contentWindow as FrameWindow | null;

const patience = 120_000;
const coldRounds = 3;

export class Frames {
  readonly #home: HTMLElement;
  #frame: HTMLIFrameElement | null = null;
  #family = '';

  constructor(home: HTMLElement) {
    this.#home = home;
  }

  /** Returns the benchmark in the frame of `family`. */
  async bench(family: string): Promise<typeof Bench> {
    if (!this.#frame || this.#family !== family) {
      this.#frame?.remove();
      this.#frame = await this.#open('runner.html');
      this.#family = family;
    }
    const frame = this.#frame;
    return until(() => windowOf(frame)?.retrogradBench);
  }

  async run(row: Listed, options: FrameOptions): Promise<RowResult> {
    if (row.kind === 'cold') return this.#runCold(row, options);
    if (row.kind === 'size') return weigh(row);
    const bench = await this.bench(row.family);
    return bench.runNamed(row.name, options);
  }

  /** Discards the frame: a failure may have broken its devices. */
  forget(): void {
    this.#frame?.remove();
    this.#frame = null;
  }

  async #open(address: string): Promise<HTMLIFrameElement> {
    const frame = document.createElement('iframe');
    frame.title = 'benchmark';
    frame.src = address;
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    this.#home.append(frame);
    await loaded;
    return frame;
  }

  async #runCold({ name, family }: Listed, { stage }: FrameOptions): Promise<RowResult> {
    const taken: Partial<Record<Library, number[]>> = {};
    const notes: Partial<Record<Library, string>> = {};
    for (let round = 0; round <= coldRounds; round++) {
      for (const library of libraries) {
        if (notes[library]) continue;
        stage(library, 'started');
        const { milliseconds, fault } = await this.#coldStart(library);
        if (milliseconds === undefined) notes[library] = fault ?? 'failed';
        else if (round > 0) taken[library] = [...(taken[library] ?? []), milliseconds];
      }
    }
    const values: Partial<Record<Library, number>> = {};
    const spread: Partial<Record<Library, number>> = {};
    for (const [library, times] of Object.entries(taken) as [Library, number[]][]) {
      if (notes[library]) continue;
      const summary = summarize(times);
      values[library] = summary.median;
      spread[library] = summary.spread;
    }
    return rowResult(name, family, 'ms', { values, spread, notes });
  }

  async #coldStart(library: Library): Promise<ColdStart> {
    const frame = await this.#open(`cold/cold.html?library=${library}`);
    try {
      return await until(() => windowOf(frame)?.coldStart);
    } catch (error) {
      return { library, fault: `failed: ${error instanceof Error ? error.message : error}` };
    } finally {
      frame.remove();
    }
  }
}

/** Returns the sizes that were measured when the page was built. */
async function weigh({ name, family }: Listed): Promise<RowResult> {
  const listing = sizeListings.find((other) => other.name === name);
  const response = await fetch('sizes.json');
  const sizes = response.ok ? ((await response.json()) as Sizes) : null;
  const unknown = { values: {}, notes: { retrograd: 'failed: the page was built without sizes' } };
  return rowResult(
    name,
    family,
    'kB gzipped',
    sizes && listing ? sizeRow(listing, sizes[listing.bundle]) : unknown,
  );
}

async function until<T>(value: () => T | undefined): Promise<T> {
  const end = performance.now() + patience;
  for (;;) {
    const found = value();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`nothing within ${patience / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
