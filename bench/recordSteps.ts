/** @file The oracle of training steps at the sizes of GPUs, for scripts/record-steps.mjs. */
import { families } from './rows/index.ts';
import type { TrainingStepRow } from './training.ts';
import type { ExpectedStep } from './trainingStepCheck.ts';

/** Training steps whose oracle isn't another's: rows in float16 have that of their row in float32. */
export const trainingSteps = (): TrainingStepRow[] =>
  families
    .flatMap((family) => family.rows('gpu'))
    .filter((row): row is TrainingStepRow => 'expected' in row && !row.bytes)
    .filter(({ name }) => !name.endsWith(', float16'));

export const stepNames = (): string[] => trainingSteps().map(({ name }) => name);

export function expectedOf(name: string): ExpectedStep {
  const row = trainingSteps().find((candidate) => candidate.name === name);
  if (!row) throw new Error(`There is no training step '${name}'.`);
  return row.expected();
}
