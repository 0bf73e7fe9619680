/** @file A page's entry to the conformance cases. */
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
