/** @file Saves the weights of a model as one safetensors file. */
import type { SaveFolder } from '../../storage/folderTargets.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import type { SaveWeightsOptions } from './fileOptions.ts';
import { namedTarget } from './namedTarget.ts';
import type { SavedBytes } from './savedBytes.ts';
import type { SavedModel } from './saveables.ts';
import { saveWeights } from './weights.ts';

/** As `Model.saveWeights` with `format: 'safetensors'`. */
export async function saveSafetensors(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  _: SaveWeightsOptions,
  saved: SavedBytes,
): Promise<void> {
  const file = namedTarget('saveWeights', target, '.safetensors');
  const bytes = await saved.during(() => saveWeights(model));
  await file.write(saved.interruptible(saved.counted(bytes)));
}
