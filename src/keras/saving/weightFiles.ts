/** @file The weights of files as they name them: by paths of Keras 3, by paths of this library, or by PyTorch's names. */
import type { StoredVariables } from '../../formats/keras/index.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { optimizerPrefix } from './checkpointMetadata.ts';
import type { LoadWeightsOptions } from './fileOptions.ts';
import { isSeedPath } from './storedSeeds.ts';
import { isStatePath, matchNames, matchStore, optimizerPath } from './storedWeights.ts';
import type { WeightFile } from './weightFile.ts';

/** Weights by the paths of Keras 3. */
export function storeFile(store: ReadonlyMap<string, StoredVariables>): WeightFile {
  const inModel = [...store].filter(([path]) => !isStatePath(path));
  const seeds = [...store].filter(([path]) => isSeedPath(path));
  return {
    tensors: inModel.flatMap(([, { tensors }]) => tensors),
    optimizer: store.get(optimizerPath)?.tensors ?? null,
    seeds: new Map(
      seeds.flatMap(
        ([
          path,
          {
            tensors: [state],
          },
        ]) => (state ? [[path, state] as const] : []),
      ),
    ),
    scalesLoss: store.has(`${optimizerPath}/inner_optimizer`),
    match: (model, options) => matchStore(model, store, options),
  };
}

/** Weights by paths of this library, or by PyTorch's names: safetensors have either. */
export async function namedFile(
  tensors: ReadonlyMap<string, StoredTensor>,
  options: LoadWeightsOptions,
): Promise<WeightFile> {
  if (hasTorchNames(tensors.keys())) return torchFile(tensors, options);
  // A checkpoint has the optimizer's state, too.
  const weights = new Map([...tensors].filter(([name]) => !name.startsWith(optimizerPrefix)));
  return {
    tensors: [...weights.values()],
    optimizer: null,
    match: (model, options) => matchNames(model, weights, options),
  };
}

/** Weights by PyTorch's names. */
export async function torchFile(
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

/** Returns whether tensors have names as in PyTorch (`features.0.weight`), rather than paths. */
function hasTorchNames(names: Iterable<string>): boolean {
  const all = [...names];
  return (
    all.some((name) => /(^|\.)(weight|bias|running_mean)$/.test(name)) &&
    !all.some((name) => name.includes('/'))
  );
}
