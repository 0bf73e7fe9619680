/** @file Loads the weights of a model from any file that has them. */
import { checkOptions } from '../../core/options.ts';
import { type FileSource, openSource } from '../../storage/sources.ts';
import { type LoadReport, type LoadWeightsOptions, loadOptionNames } from '../models/fileOptions.ts';
import type { StoredModel } from './storedWeights.ts';
import { assignStored } from './upload.ts';
import { openWeightFile, type WeightFile } from './weightFile.ts';

/** As `Model.loadWeights`. */
export async function loadWeightsFrom(
  model: StoredModel,
  given: FileSource,
  options: LoadWeightsOptions,
): Promise<LoadReport> {
  checkOptions('loadWeights', options, loadOptionNames);
  const source = await openSource(given, options);
  let file: WeightFile | null = null;
  try {
    file = await openWeightFile(source, options);
    const weights = file.match(model, {
      op: `loadWeights ${source.name}`,
      model: model.name,
      extra: options.extra,
    });
    const notFinite = await assignStored(weights, { ...options, file: source.name });
    return { loaded: weights.map(({ path }) => path), notFinite, naming: file.naming ?? 'keras' };
  } finally {
    await file?.close?.();
    await source.close?.();
  }
}
