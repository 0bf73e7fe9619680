/** @file Loads the weights of a model from any file that has them. */
import { checkOptions, rejectExtraArguments } from '../../core/options.ts';
import { Pacer } from '../../core/pacer.ts';
import { inTurns } from '../../core/pieces.ts';
import { ReadCache } from '../../storage/readCache.ts';
import { type FileSource, openSource } from '../../storage/sources.ts';
import { type LoadReport, type LoadWeightsOptions, loadOptionNames } from './fileOptions.ts';
import type { StoredModel } from './storedWeights.ts';
import { assignStored } from './assignStored.ts';
import { openWeightFile } from './openWeightFile.ts';
import type { WeightFile } from './weightFile.ts';

/** As `Model.loadWeights`. */
export async function loadWeightsFrom(
  model: StoredModel,
  given: FileSource,
  options: LoadWeightsOptions,
  extra: never[] = [],
): Promise<LoadReport> {
  rejectExtraArguments('loadWeights', extra, ['source', 'options']);
  checkOptions('loadWeights', options, loadOptionNames);
  const opened = await openSource(given, options);
  const reads = new ReadCache(opened);
  const { source } = reads;
  let file: WeightFile | null = null;
  try {
    const pacer = new Pacer(options.signal);
    file = await openWeightFile(source, options, pacer);
    const fit = { op: `loadWeights ${source.name}`, model: model.name, extra: options.extra };
    const weights = await inTurns(file.match(model, fit), pacer);
    const notFinite = await assignStored(weights, reads, { ...options, file: source.name });
    return { loaded: weights.map(({ path }) => path), notFinite, naming: file.naming ?? 'keras' };
  } finally {
    await file?.close?.();
    await reads.close();
    await opened.close?.();
  }
}
