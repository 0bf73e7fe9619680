/**
 * @file What the processes of `npm run bench:gpu` can do: list rows, measure them, and check kernel variants one by one, so that
 * each result is known as it comes.
 */
import { getDevice, init } from 'retrograd';
import { kernelsOfNamed, emptyResult, limitsHere, listRows, runNamed } from '../main.ts';
import { watchPrograms } from '../kernels.ts';
import { messageOf, rowResult, type VariantOutcome } from '../result.ts';
import type { RunOptions } from '../run.ts';
import * as verification from './verification.ts';

export { kernelsOfNamed, limitsHere, listRows };
export const { variantNames } = verification;

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

/** Checks the variants with these names; each is reported before it begins and when it has ended. */
export const verifyVariants = (names: readonly string[], report: Report): Promise<void> =>
  verification.verifyVariants(names, {
    begin: (name) => report({ stage: [name, 'verified'] }),
    end: (variant) => report({ variant }),
  });
