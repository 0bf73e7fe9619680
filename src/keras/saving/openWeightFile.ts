/** @file Opens a file with weights in any format, and finds the tensor for each weight of a model. */
import { Pacer } from '../../core/pacer.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { Hdf5Group } from '../../formats/hdf5/index.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { FileContext } from '../../formats/formatErrors.ts';
import type { LegacyLayer, NamedTensor } from '../../formats/keras/index.ts';
import type { ZipArchive } from '../../formats/zip/index.ts';
import type { LoadWeightsOptions } from './fileOptions.ts';
import { readJson, Siblings } from './jsonFile.ts';
import { openArchive, openNamedTensors } from './namedTensors.ts';
import { requireContainer } from './requireContainer.ts';
import { matchLegacy } from './storedWeights.ts';
import type { WeightFile } from './weightFile.ts';
import { namedFile, storeFile, torchFile } from './weightFiles.ts';

/** Opens the weights of any file that has some. Errors: FormatError, and the reason of the pacer's signal. */
export async function openWeightFile(
  source: ByteSource,
  options: LoadWeightsOptions,
  pacer = new Pacer(options.signal),
): Promise<WeightFile> {
  const container = await requireContainer(source);
  if (container === 'json') return openDescribed(source, options);
  if (container === 'hdf5') {
    const { openHdf5 } = await import('../../formats/hdf5/index.ts');
    return openHdf5Weights(source, await openHdf5(source), pacer);
  }
  const archive = await openArchive(source, container, options);
  const tensors = await openNamedTensors(source, container, archive);
  if (tensors) return container === 'safetensors' ? namedFile(tensors, options) : torchFile(tensors, options);
  const { openArchiveWeights } = await import('../../formats/keras/index.ts');
  return openStore(await openArchiveWeights(archive as ZipArchive), pacer);
}

/** Opens the weights next to a JSON file: the index of shards, the config.json of a Keras model, or a model.json of TF.js. */
async function openDescribed(source: ByteSource, options: LoadWeightsOptions): Promise<WeightFile> {
  const json = await readJson(source);
  if ('weight_map' in json) {
    const { openShards } = await import('./weightShards.ts');
    return openShards(source, json, options);
  }
  if ('class_name' in json) return openUnpacked(source, options);
  const { openLayersModel } = await import('./layersModel.ts');
  return (await openLayersModel(source, json)).weights;
}

/** Opens the weights next to the config.json of an unpacked `.keras` file, which may be in shards. Errors: FormatError. */
export async function openUnpacked(source: ByteSource, options: LoadWeightsOptions): Promise<WeightFile> {
  const siblings = new Siblings(source);
  try {
    const found = await siblings.open('model.weights.h5').catch((error: unknown) =>
      siblings.open('model.weights.json').catch(() => {
        throw error;
      }),
    );
    const weights = await openWeightFile(found, options);
    const close = async () => {
      await weights.close?.();
      await siblings.close();
    };
    return { ...weights, close };
  } catch (error) {
    await siblings.close();
    throw error;
  }
}

/** Opens the weights of an HDF5 file of Keras 3, or of an older one. */
export async function openHdf5Weights(
  source: ByteSource,
  root: Hdf5Group,
  pacer: Pacer,
): Promise<WeightFile> {
  const group = root.links.has('model_weights') ? await root.group('model_weights') : root;
  const isLegacy = group !== null && (group !== root || (await hasLayerNames(root)));
  return isLegacy ? openLegacy(source, root, group, pacer) : storeOf(source, root, pacer);
}

async function hasLayerNames(root: Hdf5Group): Promise<boolean> {
  return (await root.attribute('layer_names')) !== null || (await root.attribute('layer_names0')) !== null;
}

/** Opens an HDF5 file of Keras 3. */
export async function openStore(source: ByteSource, pacer: Pacer): Promise<WeightFile> {
  const { openHdf5 } = await import('../../formats/hdf5/index.ts');
  return storeOf(source, await openHdf5(source), pacer);
}

async function storeOf(source: ByteSource, root: Hdf5Group, pacer: Pacer): Promise<WeightFile> {
  const { readWeightStore } = await import('../../formats/keras/index.ts');
  return storeFile(await readWeightStore([{ root, context: contextOf(source) }], pacer));
}

async function openLegacy(
  source: ByteSource,
  root: Hdf5Group,
  group: Hdf5Group,
  pacer: Pacer,
): Promise<WeightFile> {
  const { readLegacyLayers, readNamedTensors } = await import('../../formats/keras/index.ts');
  const context = contextOf(source);
  const layers: LegacyLayer[] = await readLegacyLayers(group, context, pacer);
  const top = await group.group('top_level_model_weights');
  const own: NamedTensor[] = top ? await readNamedTensors(top, context) : [];
  const states = await root.group('optimizer_weights');
  const optimizer = states ? await readNamedTensors(states, context) : [];
  const all = [...layers.flatMap(({ weights }) => weights), ...own];
  return {
    tensors: all.map(({ tensor }) => tensor),
    optimizer: stateOf(optimizer),
    match: (model, options) => matchLegacy(model, layers, own, options),
  };
}

/**
 * The state of an optimizer, by variable. Until Keras 2.10 it came slot by slot: all momentums, then all velocities. Null for
 * states of more slots, whose order isn't that of Keras 3.
 */
function stateOf(optimizer: readonly NamedTensor[]): readonly StoredTensor[] | null {
  const [first, ...slots] = optimizer;
  if (!first) return null;
  // RMSprop's come slot by slot in Keras 3, too.
  const isInOrder = !first.name.endsWith('/iter') || first.name.startsWith('RMSprop/');
  if (isInOrder) return optimizer.map(({ tensor }) => tensor);
  const byVariable = new Map<string, StoredTensor[]>();
  for (const { name, tensor } of slots) {
    const variable = name.slice(0, name.lastIndexOf('/'));
    byVariable.set(variable, [...(byVariable.get(variable) ?? []), tensor]);
  }
  const parts = [...byVariable.values()];
  return parts.some(({ length }) => length > 2) ? null : [first.tensor, ...parts.flat()];
}

function contextOf({ name }: ByteSource): FileContext {
  return { file: name, format: 'Keras' };
}
