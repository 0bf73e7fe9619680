/**
 * @file Choices between ways of launching work that compute the same. A kernel makes a guess; where an app measures, what
 * it brings answers instead. Nobody pays for it who doesn't.
 */

/** What a kernel asks before it launches. */
export interface Question<V> {
  /** Which kind of choice it is: its candidates are known by this name. */
  readonly family: string;
  /** What the family knows candidates by. */
  readonly facts: object;
  readonly guess: V;
}

/** Answers questions. */
export interface Chooser {
  /** Another number whenever answers changed: what was captured before would be launched differently now. */
  readonly version: number;
  /** Resolves once what was asked so far is measured; null where nothing is being measured. */
  readonly measuring: Promise<void> | null;
  /** Runs `run` with a variant, and returns what it returns. */
  decide<V, R>(question: Question<V>, run: (variant: V) => R): R;
}

/** Runs `run` with the variant that `device` is to take. */
export function decide<V, R>(
  { chooser }: { readonly chooser: Chooser | null },
  family: string,
  facts: object,
  guess: V,
  run: (variant: V) => R,
): R {
  return chooser ? chooser.decide({ family, facts, guess }, run) : run(guess);
}
