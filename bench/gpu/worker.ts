/**
 * @file What the processes of `npm run bench:gpu` can do: list rows, measure them, and check kernel variants one by one, so that
 * each result is known as it comes.
 */
import { getDevice, init, verify } from 'retrograd';
import { profileOf } from '../../src/kernels/deviceProfile.ts';
import { variantsOf } from '../../src/verify/variants.ts';
import { kernelsOfNamed, emptyResult, limitsHere, listRows, runNamed } from '../main.ts';
import { watchPrograms } from '../kernels.ts';
import { messageOf, rowResult } from '../result.ts';
import type { RunOptions } from '../run.ts';
import type { VariantOutcome } from './result.ts';

export { kernelsOfNamed, limitsHere, listRows };

/** Reports what is being done, and results that come before the call's own. */
export type Report = (event: { stage: [string | null, string] } | { variant: VariantOutcome }) => void;

/** Opens the device. `subgroupMatrices`: for rows in float16. */
export async function open(subgroupMatrices: boolean) {
  watchPrograms();
  await init({ subgroupMatrices });
  return { ...(await emptyResult()), class: getDevice().adapter.class };
}

export const run = (name: string, options: RunOptions, report: Report) =>
  runNamed(name, { ...options, stage: (library, doing) => report({ stage: [library, doing] }) });

/** A row that could not be measured in any attempt. */
export const failedRow = (name: string, family: string, error: unknown) =>
  rowResult(name, family, 'ms', { values: {}, notes: { retrograd: `failed: ${messageOf(error)}` } });

export const variantNames = (): string[] =>
  variantsOf(getDevice(), profileOf(getDevice())).map(({ name }) => name);

/** Checks the variants with these names; each is reported before it begins and when it has ended. */
export async function verifyVariants(names: readonly string[], report: Report): Promise<void> {
  for (const name of names) {
    report({ stage: [name, 'verified'] });
    const only = new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
    const [found] = (await verify({ only, store: null })).variants;
    if (!found) continue;
    const { status, message, worstCheck, worstError } = found;
    const wrong = status === 'wrong' ? `${worstCheck}: error ${worstError.toPrecision(2)}` : null;
    report({ variant: { name, status, message: message ?? wrong } });
  }
}
