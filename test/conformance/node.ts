/** @file The entry to the conformance cases in Node: installs Dawn's WebGPU. */
import { installNodeGpu } from '../support/gpu.ts';
import { openDevice } from './cases.ts';

export { runFamily } from './cases.ts';
export { checkNames, runModel } from './models.ts';

/** Uncaptured GPU errors are appended to the list. */
export async function open(): Promise<string[]> {
  await installNodeGpu();
  return openDevice();
}
