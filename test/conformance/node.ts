/** @file Node's entry to the conformance cases: Dawn's WebGPU in place, then the cases. */
import { installNodeGpu } from '../support/gpu.ts';
import { openDevice } from './cases.ts';

export { runFamily } from './cases.ts';
export { checkNames, runModel } from './models.ts';

/** Uncaptured GPU errors fill the list as they come. */
export async function open(): Promise<string[]> {
  await installNodeGpu();
  return openDevice();
}
