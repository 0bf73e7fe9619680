/** @file Saves models and weights in Keras 3's formats, models for TF.js, and weights as safetensors. */
import { checkSignal } from '../../core/abortSignal.ts';
import { checkOptions, rejectExtraArguments } from '../../core/options.ts';
import type { Pieces } from '../../core/pieces.ts';
import { requireOneOf } from '../../core/shape.ts';
import { ValueError } from '../../core/errors.ts';
import { isFolder, type SaveFolder } from '../../storage/folderTargets.ts';
import { type SaveTarget, targetName, targetOf } from '../../storage/targets.ts';
import { readConstants } from '../json/constants.ts';
import type { JsonObject } from '../json/document.ts';
import { writeText } from '../json/text.ts';
import { writerFor, writeSharingConfig } from '../json/write.ts';
import { fullCompileConfig } from '../json/compileConfig.ts';
import {
  type SaveOptions,
  type SaveWeightsOptions,
  saveOptionNames,
  saveWeightsOptionNames,
} from './fileOptions.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { assetEntries } from './assets.ts';
import { HeldState } from './heldState.ts';
import type { HeldParts } from './holdState.ts';
import { SavedBytes } from './savedBytes.ts';
import { optimizerOf, optimizerWithState, type SavedModel } from './savedModel.ts';
import { findSaveables } from './saveables.ts';
import { saveShardsTo } from './saveShards.ts';
import { seedsByPath } from './storedSeeds.ts';
import { saveWeights } from './weights.ts';
import { weightTree } from './weightTree.ts';

/** The version of Keras whose format is written. */
const kerasVersion = '3.15.1';

/** As `Model.save`. */
export async function saveModelTo(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  options: SaveOptions,
  extra: never[] = [],
  parts: HeldParts | null = null,
): Promise<void> {
  rejectExtraArguments('save', extra, ['target', 'options']);
  checkOptions('save', options, saveOptionNames);
  const { format = isForLayers(target) ? 'tfjs' : 'keras', signal } = options;
  const held = parts && new HeldState(parts);
  requireOneOf('save', 'format', format, ['keras', 'tfjs'] as const);
  checkSignal('save', signal);
  if (format === 'keras') return saveKeras(model, target as SaveTarget, options, held);
  const { saveLayersModelTo } = await import('./saveLayersModel.ts');
  return saveLayersModelTo(model, target as SaveFolder, options, held);
}

/** Returns whether the target implies that a model is for TF.js: a folder, or a model.json in one. */
function isForLayers(target: SaveTarget | SaveFolder): boolean {
  return isFolder(target) || (targetName(target as SaveTarget)?.endsWith('model.json') ?? false);
}

async function saveKeras(
  model: SavedModel,
  target: SaveTarget,
  options: SaveOptions,
  held: HeldState | null,
): Promise<void> {
  const { includeOptimizer = true } = options;
  const name = targetName(target);
  requireEnd('save', name, ['.keras']);
  const file = targetOf(target);
  const optimizer = includeOptimizer ? optimizerOf(model) : null;
  await readConstants(model);
  const saved = new SavedBytes(options, held);
  const config = await saved.inTurns(configOf(model, optimizer));
  const saveables = await saved.inTurns(findSaveables(model));
  const [{ writeZip }, { writeHdf5 }, { configName, metadataName, weightsName }, tree] = await Promise.all([
    import('../../formats/zip/index.ts'),
    import('../../formats/hdf5/index.ts'),
    import('../../formats/keras/index.ts'),
    saved.inTurns(
      weightTree(saveables, {
        optimizer: optimizer && optimizerWithState(model),
        seeds: includeOptimizer ? seedsByPath(saveables) : null,
      }),
    ),
  ]);
  const metadata = { keras_version: kerasVersion, date_saved: dateSaved() };
  const configText = encoded(await saved.inTurns(writeText(config)));
  await saved.pacer.step();
  const zip = writeZip([
    { name: metadataName, pieces: [encoded(JSON.stringify(metadata))] },
    { name: configName, pieces: [configText] },
    { name: weightsName, pieces: writeHdf5(saved.countedIn(tree), saved.pacer) },
    ...assetEntries(saveables),
  ]);
  await file.write(saved.interruptible(zip));
}

/** As `Model.saveWeights`. */
export async function saveWeightsTo(
  model: SavedModel,
  given: SaveTarget | SaveFolder,
  options: SaveWeightsOptions,
  extra: never[] = [],
  parts: HeldParts | null = null,
): Promise<void> {
  rejectExtraArguments('saveWeights', extra, ['target', 'options']);
  checkOptions('saveWeights', options, saveWeightsOptionNames);
  const held = parts && new HeldState(parts);
  const { includeOptimizer = true, signal } = options;
  signal?.throwIfAborted();
  if (options.format !== undefined)
    requireOneOf('saveWeights', 'format', options.format, ['keras', 'safetensors'] as const);
  if (options.maxShardSize !== undefined) return saveShardsTo(model, given, options, held);
  const target = given as SaveTarget;
  const name = targetName(target);
  const { format = name?.endsWith('.safetensors') ? 'safetensors' : 'keras' } = options;
  requireEnd('saveWeights', name, format === 'keras' ? ['.weights.h5'] : ['.safetensors']);
  const file = targetOf(target);
  const saved = new SavedBytes(options, held);
  if (format === 'safetensors') {
    const bytes = await saved.during(() => saveWeights(model));
    await file.write(saved.interruptible(saved.counted(bytes)));
    return;
  }
  const optimizer = includeOptimizer ? optimizerWithState(model) : null;
  const saveables = await saved.inTurns(findSaveables(model));
  const [{ writeHdf5 }, tree] = await Promise.all([
    import('../../formats/hdf5/index.ts'),
    saved.inTurns(weightTree(saveables, { optimizer })),
  ]);
  await file.write(saved.interruptible(writeHdf5(saved.countedIn(tree), saved.pacer)));
}

function* configOf(model: SavedModel, optimizer: Optimizer | null): Pieces<JsonObject> {
  return {
    ...(yield* writeSharingConfig(model, { learnedApart: true })),
    compile_config: fullCompileConfig(writerFor(model), model, optimizer),
  };
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** As Keras writes it: 2026-11-22@17:03:05. */
function dateSaved(): string {
  return new Date().toISOString().slice(0, 19).replace('T', '@');
}

/**
 * IndexedDB keys needn't have an extension: TF.js's users write 'indexeddb://my-model'. Errors: ValueError for a file name
 * without one of the endings, which readers would take for another format.
 */
function requireEnd(op: string, name: string | null, ends: readonly string[]): void {
  if (name === null || ends.some((end) => name.endsWith(end))) return;
  if (/^indexeddb:/i.test(name) && !/\.[^/]*$/.test(name)) return;
  throw new ValueError({
    op,
    rule: `the file's name ends in ${ends.join(' or ')}.`,
    received: `'${name}'`,
    hint:
      op === 'save'
        ? "save('model.keras'), saveWeights('model.weights.h5'), or save('folder', { format: 'tfjs' })."
        : `call it 'model${ends[0]}'.`,
  });
}
