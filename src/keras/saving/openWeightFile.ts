/** @file Opens a file with weights in any format, and finds the tensor for each weight of a model. */
import { FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { type Container, detectContainer, torchRoot } from '../../formats/detect.ts';
import type { Hdf5Group } from '../../formats/hdf5/index.ts';
import type { FileContext } from '../../formats/formatErrors.ts';
import type { LegacyLayer, NamedTensor, StoredVariables } from '../../formats/keras/index.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { LoadWeightsOptions } from './fileOptions.ts';
import { isOptimizerPath, matchLegacy, matchNames, matchStore, optimizerPath } from './storedWeights.ts';
import type { WeightFile } from './weightFile.ts';

/** Opens the weights of any file that has some. Errors: FormatError. */
export async function openWeightFile(source: ByteSource, options: LoadWeightsOptions): Promise<WeightFile> {
  const container = await requireContainer(source);
  if (container === 'safetensors') return openSafetensors(source, options);
  if (container === 'legacyTorch') {
    const { openLegacyTorch } = await import('../../formats/pytorch/index.ts');
    return torchFile(await openLegacyTorch(source), options);
  }
  if (container === 'zip') return openZip(source, options);
  if (container === 'json') return openLayersWeights(source);
  const { openHdf5 } = await import('../../formats/hdf5/index.ts');
  return openHdf5Weights(source, await openHdf5(source));
}

/** Opens a `.keras` file, or one of PyTorch. */
async function openZip(source: ByteSource, options: LoadWeightsOptions): Promise<WeightFile> {
  const { ZipArchive } = await import('../../formats/zip/index.ts');
  const archive = await ZipArchive.open(source, options.limits);
  const root = torchRoot(archive.names);
  if (root !== null) {
    const { openTorchArchive } = await import('../../formats/pytorch/index.ts');
    return torchFile(await openTorchArchive(archive, root), options);
  }
  const { openArchiveWeights } = await import('../../formats/keras/index.ts');
  return openStore(await openArchiveWeights(archive));
}

/** Opens a model.json of TF.js, of which only the weights are read. */
async function openLayersWeights(source: ByteSource): Promise<WeightFile> {
  const { openLayersModel } = await import('./layersModel.ts');
  const { weights, close } = await openLayersModel(source);
  return { ...weights, close };
}

/** Matches weights by PyTorch's names. */
async function torchFile(
  tensors: ReadonlyMap<string, StoredTensor>,
  { modules }: LoadWeightsOptions,
): Promise<WeightFile> {
  const { matchTorch } = await import('./torch/match.ts');
  return {
    tensors: [...tensors.values()],
    optimizer: null,
    naming: 'pytorch',
    match: (model, options) => matchTorch(model, tensors, options, modules),
  };
}

/** Opens the weights of an HDF5 file of Keras 3, or of an older one. */
export async function openHdf5Weights(source: ByteSource, root: Hdf5Group): Promise<WeightFile> {
  const group = root.links.has('model_weights') ? await root.group('model_weights') : root;
  const isLegacy = group !== null && (group !== root || (await hasLayerNames(root)));
  return isLegacy ? openLegacy(source, root, group) : storeOf(source, root);
}

async function hasLayerNames(root: Hdf5Group): Promise<boolean> {
  return (await root.attribute('layer_names')) !== null || (await root.attribute('layer_names0')) !== null;
}

/** Opens an HDF5 file of Keras 3. */
export async function openStore(source: ByteSource): Promise<WeightFile> {
  const { openHdf5 } = await import('../../formats/hdf5/index.ts');
  return storeOf(source, await openHdf5(source));
}

async function storeOf(source: ByteSource, root: Hdf5Group): Promise<WeightFile> {
  const { readWeightStore } = await import('../../formats/keras/index.ts');
  const store: ReadonlyMap<string, StoredVariables> = await readWeightStore(root, contextOf(source));
  const inModel = [...store].filter(([path]) => !isOptimizerPath(path));
  return {
    tensors: inModel.flatMap(([, { tensors }]) => tensors),
    optimizer: store.get(optimizerPath)?.tensors ?? null,
    match: (model, options) => matchStore(model, store, options),
  };
}

async function openLegacy(source: ByteSource, root: Hdf5Group, group: Hdf5Group): Promise<WeightFile> {
  const { readLegacyLayers, readNamedTensors } = await import('../../formats/keras/index.ts');
  const context = contextOf(source);
  const layers: LegacyLayer[] = await readLegacyLayers(group, context);
  const top = await group.group('top_level_model_weights');
  const own: NamedTensor[] = top ? await readNamedTensors(top, context) : [];
  const states = await root.group('optimizer_weights');
  const optimizer = states ? await readNamedTensors(states, context) : [];
  const all = [...layers.flatMap(({ weights }) => weights), ...own];
  return {
    tensors: all.map(({ tensor }) => tensor),
    optimizer: isKeras3(optimizer) ? optimizer.map(({ tensor }) => tensor) : null,
    match: (model, options) => matchLegacy(model, layers, own, options),
  };
}

/** Keras 2 had other variables in another order. */
function isKeras3(optimizer: readonly NamedTensor[]): boolean {
  return optimizer[0]?.name.endsWith('/iteration') ?? false;
}

async function openSafetensors(source: ByteSource, options: LoadWeightsOptions): Promise<WeightFile> {
  const { openSafetensors } = await import('../../formats/safetensors/open.ts');
  const { tensors } = await openSafetensors(source);
  if (hasTorchNames(tensors.keys())) return torchFile(tensors, options);
  return {
    tensors: [...tensors.values()],
    optimizer: null,
    match: (model, options) => matchNames(model, tensors, options),
  };
}

/** Returns the container of a file that can hold weights. Errors: FormatError for others. */
export async function requireContainer(source: ByteSource): Promise<Container> {
  const container = await detectContainer(source);
  requireName(source.name, container);
  if (container !== null) return container;
  const { recognizeOther } = await import('../../formats/otherFiles.ts');
  const { what, hint } = (await recognizeOther(source)) ?? {
    what: source.size === 0 ? 'an empty file' : 'bytes of no format that is known',
    hint: 'pass a file that Keras, PyTorch or this library saved; it may be cut short.',
  };
  throw new FormatError({
    op: source.name,
    rule: 'a file of weights is .keras, .weights.h5, .h5, .safetensors, .pt, .pth, or a model.json of TF.js.',
    received: what,
    hint,
  });
}

/** Returns whether tensors have names as in PyTorch (`features.0.weight`), rather than paths. */
function hasTorchNames(names: Iterable<string>): boolean {
  const all = [...names];
  return (
    all.some((name) => /(^|\.)(weight|bias|running_mean)$/.test(name)) &&
    !all.some((name) => name.includes('/'))
  );
}

/**
 * Names don't matter, except for `.keras`: Keras itself would read such a file as an archive.
 * Errors: FormatError for another container of that name.
 */
function requireName(name: string, container: Container | null): void {
  if (container === null || container === 'zip' || !name.toLowerCase().endsWith('.keras')) return;
  const what: Record<Exclude<Container, 'zip'>, string> = {
    hdf5: 'an HDF5 file',
    safetensors: 'safetensors',
    legacyTorch: 'a file of PyTorch',
    json: 'JSON',
  };
  throw new FormatError({
    op: name,
    rule: 'a file called .keras is a zip archive.',
    received: what[container],
    hint: container === 'hdf5' ? 'give it the name .h5.' : 'give it the name of its format.',
  });
}

function contextOf({ name }: ByteSource): FileContext {
  return { file: name, format: 'Keras' };
}
