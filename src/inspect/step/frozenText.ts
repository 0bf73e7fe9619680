/** @file The note in a report about weights that aren't trainable. It isn't a finding, since most are frozen on purpose. */
import type { StepReportData } from './reportData.ts';

/** Names, at most. */
const maxNames = 4;

/** `4 of 6 weights are not trainable: 'base/kernel', …`; null where all are. */
export function frozenText({ weights }: StepReportData): string | null {
  const frozen = weights.filter(({ trainable, gradient }) => !trainable && gradient === 'not asked for');
  if (frozen.length === 0) return null;
  const names = frozen.slice(0, maxNames).map(({ name }) => `'${name}'`);
  const rest = frozen.length - names.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return `${frozen.length} of ${weights.length} weights are not trainable: ${names.join(', ')}${more}`;
}
