/** @file Saves models and weights in Keras 3's formats: `.keras` and `.weights.h5`. */
import type { Pieces } from '../../core/pieces.ts';
import type { NewGroup } from '../../formats/hdf5/index.ts';
import type { NewEntry } from '../../formats/zip/index.ts';
import type { SaveFolder } from '../../storage/folderTargets.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import { readConstants } from '../json/constants.ts';
import { writeText } from '../json/text.ts';
import { writeSharingConfig } from '../json/write.ts';
import { archiveEntries } from './archiveEntries.ts';
import { assetEntries } from './assets.ts';
import type { SaveOptions, SaveWeightsOptions } from './fileOptions.ts';
import { namedTarget } from './namedTarget.ts';
import type { SavedBytes } from './savedBytes.ts';
import { findSaveables, optimizerOf, optimizerWithState, type SavedModel } from './saveables.ts';
import { modelTree, weightTree } from './weightTree.ts';

/** What a `.keras` file holds. */
interface Contents {
  /** The text of the configuration. */
  readonly config: string;
  /** Vocabularies and other files of layers. */
  readonly assets: readonly NewEntry[];
  /** The weights, the optimizer's variables and the states of seeds, once they are read back. */
  readonly tree: Promise<NewGroup>;
}

/** As `Model.save` with `format: 'keras'`. */
export async function saveKerasModel(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  { includeOptimizer = true }: SaveOptions,
  saved: SavedBytes,
): Promise<void> {
  const file = namedTarget('save', target, '.keras');
  await readConstants(model);
  const { config, assets, tree } = await saved.inTurns(contentsOf(model, includeOptimizer));
  const zip = await archiveEntries({ config, assets, tree: await tree }, saved);
  await file.write(saved.interruptible(zip));
}

/** Collects what the file holds. */
function* contentsOf(model: SavedModel, includeOptimizer: boolean): Pieces<Contents> {
  const optimizer = includeOptimizer ? optimizerOf(model) : null;
  const config = yield* writeSharingConfig(model, { learnedApart: true, optimizer });
  const text = yield* writeText(config);
  const saveables = yield* findSaveables(model);
  const assets = assetEntries(saveables);
  const state = optimizer && optimizerWithState(model);
  const tree = yield* weightTree(saveables, { optimizer: state, hasSeeds: includeOptimizer });
  return { config: text, assets, tree };
}

/** As `Model.saveWeights` with `format: 'keras'`. */
export async function saveKerasWeights(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  options: SaveWeightsOptions,
  saved: SavedBytes,
): Promise<void> {
  const file = namedTarget('saveWeights', target, '.weights.h5');
  const { writeHdf5 } = await import('../../formats/hdf5/index.ts');
  const tree = await saved.inTurns(modelTree(model, options));
  await file.write(saved.interruptible(writeHdf5(saved.countedIn(tree), saved.pacer)));
}
