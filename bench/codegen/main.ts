/** @file The module that scripts/codegen.mjs loads in the process whose Dawn compiles for a GPU. */
import type { AdapterKind } from '../../src/webgpu/adapter.ts';
import { toFitMarkdown } from './fit.ts';
import { measure, type ProblemReport } from './measure.ts';
import { problems } from './problems/index.ts';
import { toPeerJson, toPeerMarkdown } from './peerReport.ts';
import { toJson, toMarkdown } from './report.ts';

export interface CodegenRun {
  readonly folder: string;
  /** A substring of names, or a pattern. */
  readonly filter: string | RegExp;
  readonly profiles: readonly AdapterKind[];
  readonly peers: boolean;
  readonly onProblem?: (report: ProblemReport) => void;
}

export const problemNames = (): string[] => problems.map(({ name }) => name);

export async function compileProblems({ filter, ...options }: CodegenRun): Promise<ProblemReport[]> {
  const matches = (text: string) => (typeof filter === 'string' ? text.includes(filter) : filter.test(text));
  const chosen = problems.filter(({ name, family }) => matches(name) || matches(family));
  return measure(options.peers ? chosen.filter(({ peers }) => peers) : chosen, options);
}

export { measureSteps } from './steps.ts';
export { toStepJson, toStepMarkdown } from './stepReport.ts';
export { toFitMarkdown, toJson, toMarkdown, toPeerJson, toPeerMarkdown };
