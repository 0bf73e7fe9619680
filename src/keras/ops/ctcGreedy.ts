/** @file The greedy path of a CTC decoding. */

/** Logits of `steps` steps, from `first` on in `values`. */
export interface StepLogits {
  readonly values: Float32Array;
  readonly first: number;
  readonly steps: number;
  readonly classes: number;
}

/** A sequence of labels with its probability. */
export interface ScoredPath {
  readonly labels: readonly number[];
  readonly score: number;
}

/** The likeliest class of each step, without blanks and repetitions; minus the sum of the logits of these classes. */
export function greedyPath(
  { values, first, steps, classes }: StepLogits,
  blank: number,
  mergeRepeated: boolean,
): ScoredPath {
  const labels: number[] = [];
  let score = 0;
  let previous = -1;
  for (let step = 0; step < steps; step++) {
    const row = first + step * classes;
    let best = 0;
    for (let label = 1; label < classes; label++) {
      if ((values[row + label] as number) > (values[row + best] as number)) best = label;
    }
    score -= values[row + best] as number;
    if (best !== blank && !(mergeRepeated && best === previous)) labels.push(best);
    previous = best;
  }
  return { labels, score };
}
