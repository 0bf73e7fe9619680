/**
 * @file Whole models against Keras: built from `config.json`, with the weights of `weights.safetensors`, they must give the
 * outputs, gradients, structure, summary and training runs that Keras gave. Runs in Node and in a page alike; the format
 * is described in test/fixtures/README.md.
 */
import { getDevice, memory } from '../../src/index.ts';
import { clearSession } from '../../src/keras/index.ts';
import type { CaseResult } from './cases.ts';
import { checkLambda } from './models/lambda.ts';
import { checkConfig, checkStructure, checkSummary } from './models/structure.ts';
import { checkTraining } from './models/training.ts';
import { checkGradients, checkOutputs, checkPerceptual } from './models/values.ts';
import { type Check, ModelUnderTest, type ModelFiles } from './models/underTest.ts';

export type { ModelFiles } from './models/underTest.ts';

const checks: Readonly<Record<string, Check>> = {
  config: checkConfig,
  structure: checkStructure,
  summary: checkSummary,
  outputs: checkOutputs,
  gradients: checkGradients,
  perceptual: checkPerceptual,
  training: checkTraining,
  lambda: checkLambda,
};

/** Names of all checks, for filters. */
export const checkNames = Object.keys(checks);

/** Runs the checks of one model whose names `chosen` has. `uncaptured` is the result of `openDevice`. */
export async function runModel(
  files: ModelFiles,
  chosen: readonly string[],
  uncaptured: string[],
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const [id, check] of Object.entries(checks)) {
    if (!chosen.includes(id)) continue;
    clearSession();
    const test = new ModelUnderTest(files);
    const result: CaseResult = {
      family: `models/${files.name}`,
      id,
      op: test.meta.class,
      note: test.meta.note,
      faults: [],
    };
    const before = memory().tensors;
    try {
      const faults = await check(test);
      if (faults === null) continue; // The model has nothing to check here.
      result.faults.push(...faults);
    } catch (error) {
      result.faults.push(`threw ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      await getDevice()
        .sync()
        .catch(() => {}); // A fault of this check must not be reported to the next.
    } finally {
      test.dispose();
    }
    const left = memory().tensors - before;
    if (left > 0 && result.faults.length === 0) result.faults.push(`${left} tensors are left on the device`);
    for (const message of uncaptured.splice(0)) result.faults.push(`uncaptured GPU error: ${message}`);
    results.push(result);
  }
  return results;
}
