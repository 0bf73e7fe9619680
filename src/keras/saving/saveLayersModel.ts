/** @file Saves models as TF.js layers models: model.json, and the shards of its weights. */
import { FormatError, ValueError } from '../../core/errors.ts';
import { atOnce } from '../../core/pieces.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { NewWeight } from '../../formats/tfjs/index.ts';
import type { Pieces } from '../../formats/zip/index.ts';
import { folderOf, type FolderTarget, type NewFile, type SaveFolder } from '../../storage/folderTargets.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import type { FilePieces } from '../../storage/fileTarget.ts';
import { layersModelConfig } from '../json/layersModelConfig.ts';
import { requireUsedMasks } from '../json/layersModelMasks.ts';
import type { JsonObject } from '../json/document.ts';
import { modelDocument } from '../json/write.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import type { SaveOptions } from './fileOptions.ts';
import type { SavedBytes } from './savedBytes.ts';
import { optimizerOf, ownWeightsIn, type SavedModel } from './saveables.ts';
import { writeLayersTraining, type WrittenTraining } from './writeLayersTraining.ts';

/**
 * Returns the weights in order, by their names in TF.js, which finds them by the layers that they belong to. Errors: ValueError if
 * two have the same name.
 */
function layersModelWeights(model: AnyLayer): Map<string, Variable> {
  const named = new Map<string, Variable>();
  const ownWeights = atOnce(ownWeightsIn(model));
  const visit = (layer: AnyLayer, scope: string): void => {
    for (const weight of ownWeights(layer)) {
      const name = `${scope}/${roleOf(layer, weight)}`;
      if (named.has(name)) throw twice(name, model);
      named.set(name, weight);
    }
    for (const [i, inner] of layer.sublayers.entries()) visit(inner, scopeOf(layer, inner, i, scope));
  };
  visit(model, model.name);
  return named;
}

/** Returns the name scope of layers inside of others; models don't add a prefix. */
function scopeOf(outer: AnyLayer, inner: AnyLayer, place: number, scope: string): string {
  if ('layers' in outer) return inner.name;
  if (outer.className === 'StackedRNNCells') return `${scope}/RNNCell_${place}`;
  if (outer.className !== 'Bidirectional')
    return 'cell' in outer || 'layer' in outer ? scope : `${scope}/${inner.name}`;
  const { forwardLayer } = outer as unknown as { forwardLayer: AnyLayer };
  const name = forwardLayer.name.replace(/^forward_/, '');
  return `${scope}/${inner === forwardLayer ? 'forward' : 'backward'}_${name}`;
}

function roleOf({ className }: AnyLayer, { path }: Variable): string {
  const role = path.slice(path.lastIndexOf('/') + 1);
  return role === 'kernel' && className.startsWith('Depthwise') ? 'depthwise_kernel' : role;
}

function twice(name: string, model: AnyLayer): ValueError {
  return new ValueError({
    op: 'save',
    rule: 'TF.js finds weights by the names of layers, also of those in models inside of others, and each model has its own.',
    received: `'${name}' twice in '${model.name}'`,
    hint: 'give the layers different names; call a layer in only one model.',
  });
}

const modelName = 'model.json';
/** The version of Keras whose configurations TF.js expects. */
const kerasVersion = '2.15.0';

/** What the files hold. */
interface Contents {
  readonly topology: JsonObject;
  readonly weights: readonly NewWeight[];
  /** Null if TF.js can't continue training, or isn't to. */
  readonly training: WrittenTraining | null;
}

/** As `Model.save` with `format: 'tfjs'`. */
export async function saveLayersModel(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  options: SaveOptions,
  saved: SavedBytes,
): Promise<void> {
  const folder = folderOf(target as SaveFolder);
  const { topology, weights, training } = await saved.during(() => contentsOf(model, options));
  const { writeManifest } = await import('../../formats/tfjs/index.ts');
  const { manifest, shards } = writeManifest([...weights, ...(training?.weights ?? [])]);
  const json = {
    format: 'layers-model',
    generatedBy: 'Retrograd',
    convertedBy: null,
    modelTopology: { ...topology, keras_version: kerasVersion, backend: 'tensorflow' },
    ...(training && { trainingConfig: training.config }),
    weightsManifest: manifest,
  };
  const files = [
    ...shards.map(({ name, pieces }) => ({
      name,
      pieces: joined(pieces.map((piece) => saved.counted(piece))),
    })),
    { name: modelName, pieces: joined([[new TextEncoder().encode(JSON.stringify(json))]]) },
  ];
  await replaceFiles(folder, files, saved);
}

/** Collects what the files hold. Reading begins before this returns. */
async function contentsOf(model: SavedModel, { includeOptimizer }: SaveOptions): Promise<Contents> {
  requireUsedMasks(model);
  const optimizer = includeOptimizer === false ? null : optimizerOf(model);
  const { compile_config: compiled, ...config } = modelDocument(model, { optimizer });
  const topology = layersModelConfig(config, `'${model.name}'`);
  const named = layersModelWeights(model);
  const [training, weights] = await Promise.all([
    includeOptimizer === false
      ? null
      : trainingOf(compiled as JsonObject, optimizer, named, includeOptimizer ?? false),
    Promise.all([...named].map(([name, variable]) => readWeight(name, variable))),
  ]);
  return { topology, weights, training };
}

/** Writes the files, the last of which refers to the others, then removes those of an earlier model. */
async function replaceFiles(
  folder: FolderTarget,
  files: readonly NewFile[],
  saved: SavedBytes,
): Promise<void> {
  const before = await shardsOf(folder);
  const isOld = (name: string) => before.includes(name);
  const written: string[] = [];
  try {
    for (const { name, pieces } of files) {
      written.push(name);
      await folder.writeFile({ name, pieces: saved.interruptible(pieces) });
    }
  } catch (error) {
    await removeAll(
      folder,
      written.filter((name) => name !== modelName && !isOld(name)),
    );
    throw error;
  }
  await removeAll(
    folder,
    before.filter((name) => !written.includes(name)),
  );
}

async function removeAll(folder: FolderTarget, names: readonly string[]): Promise<void> {
  for (const name of names) await folder.remove?.(name);
}

/**
 * Returns how the model was compiled, with the optimizer's state. Null if TF.js couldn't continue training with it. Errors: ValueError
 * if it is requested but not possible.
 */
async function trainingOf(
  compiled: JsonObject,
  optimizer: Optimizer | null,
  named: ReadonlyMap<string, Variable>,
  isRequested: boolean,
): Promise<WrittenTraining | null> {
  const found = optimizer
    ? await writeLayersTraining(compiled, optimizer, named)
    : { unfit: 'a model with no optimizer, which is not compiled' };
  if (!('unfit' in found)) return found;
  if (!isRequested) return null;
  throw new ValueError({
    op: 'save',
    rule: 'TF.js resumes training with SGD, momentum, Adam, Adagrad and RMSprop without further options, and with losses and metrics by name.',
    received: found.unfit,
    hint: "leave out includeOptimizer, or save('model.keras').",
  });
}

async function readWeight(name: string, variable: Variable): Promise<NewWeight> {
  const { shape, dtype } = variable;
  if (dtype === 'uint32') {
    throw new FormatError({
      op: 'save',
      rule: 'weights in TF.js are float32, int32 or bool.',
      received: `'${name}' of uint32`,
      hint: 'save the model for Keras.',
    });
  }
  const { buffer, byteOffset, byteLength } = await variable.data();
  const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  return { name, shape, dtype: dtype === 'float16' ? 'float32' : dtype, bytes };
}

/** Returns the shards of an earlier model in the folder that were written by this library. */
async function shardsOf(folder: FolderTarget): Promise<string[]> {
  const text = await folder.readText?.(modelName);
  if (!text) return [];
  const { shardName } = await import('../../formats/tfjs/index.ts');
  const names = [...text.matchAll(/"([^"\\]+\.bin)"/g)].map(([, name]) => name as string);
  return names.filter((name) => shardName.test(name));
}

async function* joined(parts: readonly Pieces[]): FilePieces {
  for (const part of parts) yield* part;
}
