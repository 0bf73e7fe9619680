/** @file checkpointModules: the modules of a checkpoint by the paths of layers, for the adapters of PEFT. */
import { placedLayers } from '../../keras/adapters/targets.ts';
import type { AnyLayer } from '../../keras/layers/base/layer.ts';
import { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import type { ModulePart } from '../../keras/saving/peft/modules.ts';
import type { PretrainedModel } from '../models/heads.ts';
import { familyOf } from './families.ts';
import { layersOf, prefixed } from './modules.ts';
import { backboneOf, headOf, modulesOf, prefixOf } from './namesOf.ts';
import { taskOf } from './taskOf.ts';

/**
 * Returns the names that transformers gives to the layers of a model, by their paths: the `modules` of `loadAdapter` and `saveAdapter`.
 *
 *     await loadAdapter(net, 'adapter', { modules: await checkpointModules(net) });
 *
 * Errors: ValueError for anything but a network of this entry.
 */
export async function checkpointModules(
  model: PretrainedModel,
): Promise<Record<string, string | ModulePart>> {
  const task = taskOf('checkpointModules', model);
  const family = await familyOf(backboneOf(model).modelType, 'checkpointModules');
  const { backbone, head } = modulesOf(family, task, model);
  const names = new Map(
    [...layersOf({ ...prefixed(prefixOf(family, task), backbone), ...head })].map(([name, layer]) => [
      layer as unknown,
      name,
    ]),
  );
  const reverse = headOf(family, task)?.reverse;
  const paths = placedLayers(model as unknown as AnyLayer);
  return Object.fromEntries(
    paths.flatMap(({ path, layer }): [string, string | ModulePart][] => {
      const name = names.get(layer);
      if (name === undefined) return [];
      const module = family.adapterName?.(name) ?? name;
      if (module !== name) return [[path, { module, part: 0, formerly: name }]];
      const isReversed = reverse !== undefined && layer instanceof ReversibleEmbedding;
      return [[path, isReversed ? { module, part: 0, reverse } : module]];
    }),
  );
}
