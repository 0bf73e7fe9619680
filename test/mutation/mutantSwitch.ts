/** @file The switch of instrumented sources: which mutant runs, and which ones a test reaches. Its fields are Stryker's. */

interface MutantSwitch {
  activeMutant?: string | undefined;
  /** How often the active mutant was reached, and the limit at which it throws, which ends infinite loops. */
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  /** The test that reached mutants are attributed to; none while modules are loaded. */
  currentTestId?: string | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

const holder = globalThis as { __stryker__?: MutantSwitch };
holder.__stryker__ ??= {};
export const mutantSwitch: MutantSwitch = holder.__stryker__;

/** Mutants that were reached since the last call, and how often, by test. */
export function takeCoverage(): Record<string, Record<string, number>> {
  const coverage = mutantSwitch.mutantCoverage;
  if (!coverage) return {};
  const found = coverage.perTest;
  coverage.perTest = {};
  return found;
}

/** Mutants that were reached while modules were loaded. */
export const reachedOnLoad = (): string[] => Object.keys(mutantSwitch.mutantCoverage?.static ?? {});

/** Runs `body` with a mutant. Returns how often it was reached. */
export async function withMutant(
  mutant: string,
  hitLimit: number,
  body: () => Promise<void>,
): Promise<number> {
  Object.assign(mutantSwitch, { activeMutant: mutant, hitCount: 0, hitLimit });
  try {
    await body();
    return mutantSwitch.hitCount ?? 0;
  } finally {
    Object.assign(mutantSwitch, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
  }
}
