/**
 * @file Finds the tensor in a file for each weight of a model, for each file format. Only specs are read: values are read
 * once everything fits.
 */
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { LegacyLayer, NamedTensor, StoredVariables } from '../../formats/keras/index.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { ComputeDType, TypedData } from '../../core/dtype.ts';
import type { Pieces } from '../../core/pieces.ts';
import { sameShape, sizeOf } from '../../core/shape.ts';
import type { HostArray } from '../../formats/numbers.ts';
import type { FileForm } from '../layers/quantized/fileForm.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { withoutCuDNN } from './cuDNNWeights.ts';
import { columnLengths } from './columnLengths.ts';
import { type FitOptions, requireFit } from './fit.ts';
import { matchPaths } from './matchPaths.ts';
import { findSaveables } from './saveables.ts';
import { isSeedPath } from './storedSeeds.ts';
import { weightsByPath } from './weights.ts';

/** A weight, and the tensor with its value. */
export interface StoredWeight {
  /** Path of the weight within the model. */
  readonly path: string;
  readonly variable: Variable;
  readonly stored: StoredTensor;
}

/** A model, as far as needed for its weights. */
export interface StoredModel {
  readonly name: string;
  readonly weights: readonly Variable[];
  readonly layers: readonly AnyLayer[];
}

/** Where the optimizer's variables are, in Keras 3's files. */
export const optimizerPath = 'optimizer';

/** Returns whether a path belongs to the optimizer, or to one inside it, whose variables Keras writes a second time. */
function isOptimizerPath(path: string): boolean {
  return path === optimizerPath || path.startsWith(`${optimizerPath}/`);
}

/** Where Keras 2 kept the counts of its metrics. */
const metricsPath = /^(_?metrics|compiled_metrics|compiled_loss)\//;

/** Returns whether a path belongs to a state of training, which no weight has. */
export function isStatePath(path: string): boolean {
  return isOptimizerPath(path) || isSeedPath(path) || metricsPath.test(path);
}

/** The name of a graph's layers in older files of Keras 3. */
const olderLayers = '_layer_checkpoint_dependencies';

/** Collects matches and mismatches, and reports the mismatches at the end. */
export class Matching {
  readonly #weights = new Map<string, Variable>();
  readonly #given = new Map<string, StoredTensor>();
  readonly #extra: string[] = [];

  constructor(private readonly options: FitOptions) {}

  /** Pairs `variable` with `stored`, which is null if the file has nothing for it. */
  pair(variable: Variable, stored: StoredTensor | null): void {
    // The names of a Sequential's weights start with its own name.
    const prefix = `${this.options.model}/`;
    const name = variable.path.startsWith(prefix) ? variable.path.slice(prefix.length) : variable.path;
    let path = name;
    for (let i = 2; this.#weights.has(path); i++) path = `${name} (${i})`;
    this.#weights.set(path, variable);
    if (stored) this.#given.set(path, stored);
  }

  leave(name: string): void {
    this.#extra.push(name);
  }

  /** Errors: FormatError for weights that are missing, left over, or have another shape. */
  finish(): StoredWeight[] {
    const given = withoutCuDNN(this.#weights, this.#given);
    requireFit(this.options, this.#weights, given, this.#extra);
    return [...this.#weights].map(([path, variable]) => {
      return { path, variable, stored: given.get(path) as StoredTensor };
    });
  }
}

/** Matches weights by the paths of Keras 3's files. Errors: FormatError. */
export function* matchStore(
  model: StoredModel,
  store: ReadonlyMap<string, StoredVariables>,
  options: FitOptions,
): Pieces<StoredWeight[]> {
  const matching = new Matching(options);
  const renamed = new Map([...store].map(([path, found]) => [path.replace(olderLayers, 'layers'), found]));
  for (const path of [...renamed.keys()].filter(isStatePath)) renamed.delete(path);
  for (const { path, layer, variables } of yield* findSaveables(model as unknown as AnyLayer)) {
    const found = takeStored(renamed, path);
    // The kernel and the bias in the file have what an adapter added.
    for (const added of layer.adapter ? [layer.adapter.b, layer.adapter.bias] : [])
      if (added) matching.pair(added, zeros(added));
    if (layer.adapter?.magnitude) {
      const kernel = found?.tensors[variables.indexOf(layer.adapter.weight)] ?? null;
      matching.pair(layer.adapter.magnitude, kernel && columnLengths(kernel, layer.adapter.magnitude));
    }
    variables.forEach((variable, i) => {
      const stored = found?.tensors[i] ?? null;
      const form = layer.fileForms?.get(variable);
      matching.pair(variable, stored && form ? inMemory(stored, form, variable) : stored);
    });
    for (const { place } of found?.tensors.slice(variables.length) ?? []) matching.leave(unquoted(place));
    yield;
  }
  for (const { name, tensors } of renamed.values())
    for (const { place } of tensors)
      matching.leave(name === null ? unquoted(place) : `${name}: ${unquoted(place)}`);
  return matching.finish();
}

/** A weight of a file in the layout that it has in memory; as it is if it doesn't fit. */
function inMemory(stored: StoredTensor, form: FileForm, { shape, dtype }: Variable): StoredTensor {
  if (!sameShape(stored.shape, form.shape)) return stored;
  let whole: Promise<TypedData> | null = null;
  const read = async (begin: number, end: number) => {
    whole ??= stored.read(0, sizeOf(stored.shape)).then(form.fromFile);
    return (await whole).subarray(begin, end) as HostArray;
  };
  return { ...stored, shape, dtype: dtype as ComputeDType, read };
}

function zeros({ name, shape }: Variable): StoredTensor {
  const read = async (begin: number, end: number) => new Float32Array(end - begin);
  return { place: `'${name}'`, shape, dtype: 'float32', read };
}

/** Removes and returns the file's variables under a path. Properties may be private in the version of Keras that wrote it. */
function takeStored(store: Map<string, StoredVariables>, path: string): StoredVariables | null {
  const slash = path.lastIndexOf('/') + 1;
  for (const name of [path, `${path.slice(0, slash)}_${path.slice(slash)}`]) {
    const found = store.get(name);
    store.delete(name);
    if (found) return found;
  }
  return null;
}

function unquoted(place: string): string {
  return place.replace(/^'|'$/g, '');
}

/**
 * Matches the weights of a legacy file: layers with weights in order, independent of their names; the weights of a layer by
 * their names, or in their order if the names differ. Errors: FormatError.
 */
export function* matchLegacy(
  model: StoredModel,
  layers: readonly LegacyLayer[],
  ownWeights: readonly NamedTensor[],
  options: FitOptions,
): Pieces<StoredWeight[]> {
  const matching = new Matching(options);
  const wanted = model.layers.filter(({ weights }) => weights.length > 0);
  const given = layers.filter(({ weights }) => weights.length > 0);
  const pairs = pairLayers(wanted, given);
  for (const layer of wanted) {
    const found = pairs.get(layer);
    pairWeights(matching, inLegacyOrder(layer), found?.weights ?? []);
    yield;
  }
  const taken = new Set(pairs.values());
  for (const { name, weights } of given.filter((layer) => !taken.has(layer)))
    for (const weight of weights) matching.leave(nameWithin(name, weight.name));
  const inside = new Set(wanted.flatMap(({ weights }) => weights));
  pairWeights(
    matching,
    model.weights.filter((weight) => !inside.has(weight)),
    ownWeights,
  );
  return matching.finish();
}

/** Pairs layers by order if the numbers agree, otherwise by name, so that the error can say what is missing. */
function pairLayers(
  wanted: readonly AnyLayer[],
  given: readonly LegacyLayer[],
): ReadonlyMap<AnyLayer, LegacyLayer> {
  const isSame = wanted.length === given.length;
  const pairs = wanted.map((layer, i) => [
    layer,
    isSame ? given[i] : given.find(({ name }) => name === layer.name),
  ]);
  return new Map(pairs.filter((pair): pair is [AnyLayer, LegacyLayer] => pair[1] !== undefined));
}

/** Trainable weights first, as Keras lists those of a layer. */
function inLegacyOrder({ trainableWeights, nonTrainableWeights }: AnyLayer): Variable[] {
  return [...trainableWeights, ...nonTrainableWeights];
}

function pairWeights(
  matching: Matching,
  variables: readonly Variable[],
  given: readonly NamedTensor[],
): void {
  const matched = matchPaths(
    variables.map(({ path }) => path),
    given.map(({ name }) => name),
  );
  const byName = new Map(given.map((entry) => [entry.name, entry]));
  const areNamed = matched.size === variables.length && byName.size === given.length;
  const found = variables.map((variable, i) =>
    areNamed ? byName.get(matched.get(variable.path) as string) : given[i],
  );
  variables.forEach((variable, i) => {
    matching.pair(variable, found[i]?.tensor ?? null);
  });
  for (const entry of given) if (!found.includes(entry)) matching.leave(entry.name);
}

function nameWithin(layer: string, weight: string): string {
  return weight.startsWith(`${layer}/`) ? weight : `${layer}/${weight}`;
}

/** Matches weights by their paths, as this library's safetensors files name them. Errors: FormatError. */
export function* matchNames(
  model: StoredModel,
  tensors: ReadonlyMap<string, StoredTensor>,
  options: FitOptions,
): Pieces<StoredWeight[]> {
  const byPath = weightsByPath('loadWeights', model);
  const matched = matchPaths([...byPath.keys()], [...tensors.keys()]);
  const matching = new Matching(options);
  for (const [path, variable] of byPath) {
    matching.pair(variable, tensors.get(matched.get(path) ?? '') ?? null);
    yield;
  }
  const taken = new Set(matched.values());
  for (const name of tensors.keys()) if (!taken.has(name)) matching.leave(name);
  return matching.finish();
}
