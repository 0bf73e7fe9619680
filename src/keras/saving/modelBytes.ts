/** @file Models and weights as the bytes of a file, in Keras's formats. */
import { BytesTarget } from '../../storage/targets.ts';
import type { SavedModel } from './saveables.ts';

/** Returns a `.keras` file. Errors: those of `Model.save`. */
export function modelBytes(model: SavedModel): Promise<Uint8Array<ArrayBuffer>> {
  return bytesOf(async (target) => (await import('./onFirstUse.ts')).saveModelTo(model, target, {}));
}

/** Returns a `.weights.h5` file. Errors: those of `Model.saveWeights`. */
export function weightsBytes(model: SavedModel): Promise<Uint8Array<ArrayBuffer>> {
  return bytesOf(async (target) => (await import('./onFirstUse.ts')).saveWeightsTo(model, target, {}));
}

async function bytesOf(write: (target: BytesTarget) => Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
  const target = new BytesTarget();
  await write(target);
  return target.bytes;
}
