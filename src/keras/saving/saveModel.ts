/**
 * @file `Model.save` and `Model.saveWeights`: check what they were given, and call the writer of the format. A writer collects what its
 * files hold from the model as it was when its state was held, then writes it in pieces.
 */
import { checkSignal } from '../../core/abortSignal.ts';
import { checkOptions, rejectExtraArguments } from '../../core/options.ts';
import { requireOneOf } from '../../core/shape.ts';
import { isFolder, type SaveFolder } from '../../storage/folderTargets.ts';
import { type SaveTarget, targetName } from '../../storage/targets.ts';
import {
  type ModelFormat,
  type SaveOptions,
  type SaveWeightsOptions,
  saveOptionNames,
  saveWeightsOptionNames,
  type WeightsFormat,
} from './fileOptions.ts';
import type { HeldParts } from './holdState.ts';
import type { SavedModel } from './saveables.ts';
import { SavedBytes } from './savedBytes.ts';
import { saveKerasModel, saveKerasWeights } from './saveKeras.ts';
import { saveSafetensors } from './saveSafetensors.ts';
import { saveShards } from './saveShards.ts';

/** Writes a model, or its weights, in one format. */
type Writer<Options> = (
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  options: Options,
  saved: SavedBytes,
) => Promise<void>;

const modelWriters: Readonly<Record<ModelFormat, Writer<SaveOptions>>> = {
  keras: saveKerasModel,
  tfjs: async (...call) => (await import('./saveLayersModel.ts')).saveLayersModel(...call),
};

const weightsWriters: Readonly<Record<WeightsFormat, Writer<SaveWeightsOptions>>> = {
  keras: saveKerasWeights,
  safetensors: saveSafetensors,
};

/** As `Model.save`. */
export async function saveModelTo(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  options: SaveOptions,
  extra: never[] = [],
  held: HeldParts | null = null,
): Promise<void> {
  rejectExtraArguments('save', extra, ['target', 'options']);
  checkOptions('save', options, saveOptionNames);
  const { format = isForLayers(target) ? 'tfjs' : 'keras' } = options;
  requireOneOf('save', 'format', format, ['keras', 'tfjs'] as const);
  checkSignal('save', options.signal);
  const write = modelWriters[format];
  await write(model, target, options, new SavedBytes(options, held));
}

/** As `Model.saveWeights`. */
export async function saveWeightsTo(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  options: SaveWeightsOptions,
  extra: never[] = [],
  held: HeldParts | null = null,
): Promise<void> {
  rejectExtraArguments('saveWeights', extra, ['target', 'options']);
  checkOptions('saveWeights', options, saveWeightsOptionNames);
  const { format = endsWith(target, '.safetensors') ? 'safetensors' : 'keras' } = options;
  requireOneOf('saveWeights', 'format', format, ['keras', 'safetensors'] as const);
  checkSignal('saveWeights', options.signal);
  const write = options.maxShardSize === undefined ? weightsWriters[format] : saveShards;
  await write(model, target, options, new SavedBytes(options, held));
}

/** Returns whether the target implies that a model is for TF.js: a folder, or a model.json in one. */
function isForLayers(target: SaveTarget | SaveFolder): boolean {
  return isFolder(target) || endsWith(target, 'model.json');
}

function endsWith(target: SaveTarget | SaveFolder, end: string): boolean {
  return targetName(target as SaveTarget)?.endsWith(end) ?? false;
}
