/** @file The entry to the conformance cases in a page. */
import { checkNames, type ModelFiles, runModel } from './models.ts';
import { type Case, type CaseResult, openDevice, runFamily } from './cases.ts';

let uncaptured: Promise<string[]> | undefined;

/** Runs `cases`, whose tensors are served at `url`. */
export async function runFamilyAt(family: {
  name: string;
  cases: Case[];
  url: string;
}): Promise<CaseResult[]> {
  uncaptured ??= openDevice();
  const response = await fetch(family.url);
  if (!response.ok) throw new Error(`${family.url}: ${response.status}`);
  const { name, cases } = family;
  return runFamily({ name, cases, tensors: await response.arrayBuffer() }, await uncaptured);
}

/** Runs the checks of a model whose files are served under `url`. */
export async function runModelAt({
  url,
  checks,
  ...model
}: Omit<ModelFiles, 'io' | 'weights' | 'final'> & {
  url: string;
  checks: string[];
  hasFinal: boolean;
}): Promise<CaseResult[]> {
  uncaptured ??= openDevice();
  const bytes = async (file: string) => {
    const response = await fetch(`${url}/${file}`);
    if (!response.ok) throw new Error(`${url}/${file}: ${response.status}`);
    return response.arrayBuffer();
  };
  const files: ModelFiles = {
    ...model,
    io: await bytes('io.safetensors'),
    weights: await bytes('weights.safetensors'),
    final: model.hasFinal ? await bytes('final.safetensors') : null,
  };
  return runModel(files, checks, await uncaptured);
}

export { checkNames };
