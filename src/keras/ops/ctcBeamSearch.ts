/**
 * @file The beam search of a CTC decoding: after each step, the likeliest prefixes are kept, each with the probability of its
 * alignments that end in a blank and of those that end in its last label. Probabilities are logarithms.
 */
import type { ScoredPath, StepLogits } from './ctcGreedy.ts';

const impossible = Number.NEGATIVE_INFINITY;

/** A prefix of labels: the parent's, and one more. */
interface Prefix {
  readonly parent: Prefix | null;
  /** -1 for the empty prefix. */
  readonly label: number;
  readonly children: Map<number, Prefix>;
  /** Probabilities before the step: of alignments that end in a blank, and of all. */
  oldBlank: number;
  oldTotal: number;
  blank: number;
  spoken: number;
  total: number;
}

/** The `count` likeliest sequences of `width` that are kept, in descending order. */
export function beamPaths(logits: StepLogits, blank: number, width: number, count: number): ScoredPath[] {
  const root = prefixOf(null, -1);
  root.blank = 0;
  root.total = 0;
  let kept = [root];
  for (let step = 0; step < logits.steps; step++) {
    kept = afterStep(kept, logProbabilities(logits, step), blank, width);
  }
  return kept.slice(0, count).map((prefix) => ({ labels: labelsOf(prefix), score: prefix.total }));
}

/** Returns the likeliest prefixes after a step with logarithms of probabilities `p`, in descending order. */
function afterStep(before: readonly Prefix[], p: Float64Array, blank: number, width: number): Prefix[] {
  for (const prefix of before) {
    prefix.oldBlank = prefix.blank;
    prefix.oldTotal = prefix.total;
  }
  for (const prefix of before) stay(prefix, p, blank);
  const kept = new Kept(width, before);
  for (const prefix of before) {
    if (!kept.accepts(prefix.oldTotal)) continue;
    for (let label = 0; label < p.length; label++) {
      if (label === blank) continue;
      const child = prefix.children.get(label) ?? prefixOf(prefix, label);
      if (child.total !== impossible) continue;
      // A repeated label is a new one only after a blank.
      const total = (p[label] as number) + (label === prefix.label ? prefix.oldBlank : prefix.oldTotal);
      if (!kept.accepts(total)) {
        // As in TensorFlow: a prefix that was dropped in this step, and is rejected now, isn't continued either.
        child.oldTotal = impossible;
        continue;
      }
      prefix.children.set(label, child);
      child.blank = impossible;
      child.spoken = total;
      child.total = total;
      kept.add(child);
    }
  }
  return kept.list();
}

/**
 * Returns the alignments of a prefix that stay in it: by a blank, by its last label again, or by its last label for the first
 * time.
 */
function stay(prefix: Prefix, p: Float64Array, blank: number): void {
  const { parent, label } = prefix;
  if (parent) {
    const isKept = parent.total !== impossible;
    const previous = label === parent.label ? parent.oldBlank : parent.oldTotal;
    prefix.spoken = logSum(prefix.spoken, isKept ? previous : impossible) + (p[label] as number);
  }
  prefix.blank = prefix.oldTotal + (p[blank] as number);
  prefix.total = logSum(prefix.blank, prefix.spoken);
}

/** The likeliest prefixes that were added, in a heap with the least likely one at its root. */
class Kept {
  readonly #heap: Prefix[] = [];

  constructor(
    private readonly width: number,
    first: readonly Prefix[],
  ) {
    for (const prefix of first) this.add(prefix);
  }

  accepts(total: number): boolean {
    const isFull = this.#heap.length >= this.width;
    return total > impossible && (!isFull || total > (this.#heap[0] as Prefix).total);
  }

  /** Adds `prefix`, instead of the least likely one if there are `width`. */
  add(prefix: Prefix): void {
    if (this.#heap.length >= this.width) this.#dropLeast();
    const heap = this.#heap;
    let at = heap.push(prefix) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((heap[above] as Prefix).total <= prefix.total) break;
      heap[at] = heap[above] as Prefix;
      at = above;
    }
    heap[at] = prefix;
  }

  list(): Prefix[] {
    return this.#heap.toSorted((a, b) => b.total - a.total);
  }

  #dropLeast(): void {
    const heap = this.#heap;
    const [min] = heap as [Prefix];
    min.blank = impossible;
    min.spoken = impossible;
    min.total = impossible;
    const moved = heap.pop() as Prefix;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const right = heap[below + 1];
      if (right && right.total < (heap[below] as Prefix).total) below++;
      if ((heap[below] as Prefix).total >= moved.total) break;
      heap[at] = heap[below] as Prefix;
      at = below;
    }
    heap[at] = moved;
  }
}

function prefixOf(parent: Prefix | null, label: number): Prefix {
  return {
    parent,
    label,
    children: new Map(),
    oldBlank: impossible,
    oldTotal: impossible,
    blank: impossible,
    spoken: impossible,
    total: impossible,
  };
}

function labelsOf(prefix: Prefix): number[] {
  const labels: number[] = [];
  for (let at = prefix; at.parent; at = at.parent) labels.unshift(at.label);
  return labels;
}

/** Returns the logarithms of the probabilities of the classes at a step. */
function logProbabilities({ values, first, classes }: StepLogits, step: number): Float64Array {
  const row = Float64Array.from(values.subarray(first + step * classes, first + (step + 1) * classes));
  const largest = row.reduce((a, b) => Math.max(a, b), impossible);
  const sum = row.reduce((total, x) => total + Math.exp(x - largest), 0);
  return row.map((x) => x - largest - Math.log(sum));
}

function logSum(a: number, b: number): number {
  const larger = Math.max(a, b);
  return larger === impossible ? impossible : larger + Math.log1p(Math.exp(Math.min(a, b) - larger));
}
