/** @file Reports of choices: which algorithm is launched, which others there are, and why it was chosen. */
import type { AdapterDescription } from '../webgpu/adapter.ts';

/** A candidate of the autotuner, with its times. */
export interface CandidateReport {
  readonly name: string;
  /** Estimated cost, in a unit that depends on the kind of choice; null if there is no estimate. */
  readonly cost: number | null;
  /** Median time of a run; null if it wasn't measured. */
  readonly milliseconds: number | null;
}

/** One choice. */
export interface ChoiceReport {
  /** What is computed. */
  readonly what: string;
  /** The algorithm that a call launches. */
  readonly taken: string;
  /** The algorithm that it would launch without measurements. */
  readonly selected: string;
  /** 'only' if there is no other. */
  readonly source: 'measured' | 'selected' | 'only';
  readonly candidates: readonly CandidateReport[];
}

export interface TuningResult {
  readonly choices: readonly ChoiceReport[];
  readonly measured: number;
  readonly known: number;
  readonly left: number;
  readonly milliseconds: number;
  readonly adapter: AdapterDescription;
}

/** The result of `tune`. */
export class TuningReport {
  /** The choices of the call, in the order in which it makes them. */
  readonly choices: readonly ChoiceReport[];
  /** Choices that this call measured. */
  readonly measured: number;
  /** Choices that were measured before, in this visit or an earlier one. */
  readonly known: number;
  /** Choices that weren't measured, because the budget was used up. */
  readonly left: number;
  readonly milliseconds: number;
  readonly adapter: AdapterDescription;

  /** Called by `tune`. */
  constructor({ choices, measured, known, left, milliseconds, adapter }: TuningResult) {
    this.choices = choices;
    this.measured = measured;
    this.known = known;
    this.left = left;
    this.milliseconds = milliseconds;
    this.adapter = adapter;
  }

  toString(): string {
    const { measured, known, left, milliseconds, adapter } = this;
    const rest = left > 0 ? `, ${left} left for lack of time` : '';
    const head = `${measured} choices measured in ${milliseconds.toFixed(0)} ms, ${known} known before${rest}, on ${adapterText(adapter)}`;
    return [head, ...this.choices.map(choiceText)].join('\n');
  }
}

/** Returns the adapter's name for itself, and its class. */
export function adapterText({
  vendor,
  architecture,
  device,
  description,
  class: kind,
}: AdapterDescription): string {
  const name =
    description || [vendor, architecture, device].filter(Boolean).join(' ') || 'an unnamed adapter';
  const because =
    kind === 'cpu'
      ? 'its name is that of a software rasterizer'
      : 'its name is none of a software rasterizer';
  return `${name} (class '${kind}': ${because})`;
}

/** Returns a choice as lines of text. */
export function choiceText({ what, taken, source, candidates }: ChoiceReport): string {
  const known = candidates.map(({ cost }) => cost).filter((cost) => cost !== null);
  const min = Math.min(...known);
  const width = Math.max(...candidates.map(({ name }) => name.length));
  const lines = candidates.map(({ name, cost, milliseconds }) => {
    const facts = [
      cost === null ? 'no estimate' : `estimated ${(cost / min).toFixed(2)}`,
      milliseconds === null ? 'not measured' : `${milliseconds.toFixed(3)} ms`,
    ];
    return `  ${name === taken ? '>' : ' '} ${name.padEnd(width)}  ${facts.join(', ')}`;
  });
  const head = `${what}: ${taken}, ${source === 'only' ? 'the only algorithm for these sizes' : source}`;
  if (source === 'only') return head;
  return [head, ...lines].join('\n');
}
