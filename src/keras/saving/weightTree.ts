/** @file The weights of a model as the groups of Keras 3's HDF5 files. */
import type { TypedData } from '../../core/dtype.ts';
import { numberToBfloat16 } from '../../core/bfloat16.ts';
import { numberToFloat16 } from '../../core/float16.ts';
import type { NewDataset, NewGroup, WrittenType } from '../../formats/hdf5/index.ts';
import type { Pieces } from '../../core/pieces.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { HostVariable } from '../optimizers/hostVariable.ts';
import { LossScaleOptimizer } from '../optimizers/lossScaleOptimizer.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { tidy } from '../../tensor/scope.ts';
import { requireSum } from '../adapters/requireSum.ts';
import { merged, mergedBias } from '../layers/base/adapterValues.ts';
import { type PolicyDType, storedPolicy } from '../json/storedPolicies.ts';
import { isModel } from '../json/writtenModel.ts';
import {
  findSaveables,
  optimizerWithState,
  type Saveable,
  type SavedLayer,
  type SavedModel,
} from './saveables.ts';
import { seedStates } from './storedSeeds.ts';
import { optimizerPath } from './storedWeights.ts';

/** Returns the bytes of `values` as elements of `type`, to which they are rounded. */
function bytesAs(type: WrittenType, values: TypedData | BigInt64Array): Uint8Array<ArrayBuffer> {
  const stored = conversions[type]?.(values as Float32Array) ?? values;
  return new Uint8Array(stored.buffer as ArrayBuffer, stored.byteOffset, stored.byteLength);
}

/** Types other than those that tensors have on the host. */
const conversions: Partial<Record<WrittenType, (values: Float32Array) => ArrayBufferView>> = {
  bfloat16: (values) => Uint16Array.from(values, numberToBfloat16),
  float16: (values) => Uint16Array.from(values, numberToFloat16),
  float64: (values) => Float64Array.from(values),
  int8: (values) => Int8Array.from(values),
  uint8: (values) => Uint8Array.from(values),
};

/** A group that is being filled. */
interface Filling {
  readonly attributes: Map<string, string>;
  readonly children: Map<string, Filling | NewDataset>;
}

/** Element types of datasets by the dtypes of tensors. */
const types: Readonly<Record<Tensor['dtype'], WrittenType>> = {
  float32: 'float32',
  float16: 'float32',
  int32: 'int32',
  uint32: 'uint32',
  bool: 'uint8',
};

/** What a file has next to the weights. */
export interface TreeOptions {
  /** The optimizer whose variables are saved; null for none. */
  readonly optimizer: Optimizer | null;
  /** Whether the states of the layers' random sequences are saved, so that training resumes with them. Default false. */
  readonly hasSeeds?: boolean;
}

/** Returns the weights of `saveables`, and the variables of `optimizer`, once they are read back. */
export function* weightTree(
  saveables: readonly Saveable[],
  { optimizer, hasSeeds = false }: TreeOptions,
): Pieces<Promise<NewGroup>> {
  const root: Filling = emptyGroup();
  const pending: Promise<unknown>[] = [];
  const add = (reading: Promise<unknown>) => {
    // It may fail before all are awaited.
    reading.catch(() => {});
    pending.push(reading);
  };
  const floats = floatTypes(saveables);
  for (const saveable of saveables) {
    add(addLayer(root, saveable, floats));
    yield;
  }
  if (hasSeeds) addSeeds(root, seedStates(saveables));
  yield;
  if (optimizer) yield* addOptimizer(root, optimizer, optimizerPath, add);
  // Keras writes the variables of an inner optimizer twice: with those of the outer one, and alone.
  if (optimizer instanceof LossScaleOptimizer)
    yield* addOptimizer(root, optimizer.innerOptimizer, `${optimizerPath}/inner_optimizer`, add);
  return Promise.all(pending).then(() => root);
}

/** Returns the weights of `model`, and unless `includeOptimizer` is false the optimizer's variables, once they are read back. */
export function* modelTree(
  model: SavedModel,
  { includeOptimizer = true }: { readonly includeOptimizer?: boolean | undefined },
): Pieces<Promise<NewGroup>> {
  const saveables = yield* findSaveables(model);
  return yield* weightTree(saveables, { optimizer: includeOptimizer ? optimizerWithState(model) : null });
}

/** Begins to read the weights of a layer. The groups are made before anything is awaited. */
async function addLayer(
  root: Filling,
  { path, layer, variables }: Saveable,
  floats: ReadonlyMap<AnyLayer, PolicyDType>,
): Promise<void> {
  const group = varsAt(root, path, layer.name);
  const isMerged = layer.adapter && !layer.adapter.isMerged;
  const merged = isMerged ? (layer.mergedValues?.() ?? null) : null;
  const read = variables.map((variable) => valueInFile(layer, variable));
  const values = variables.map(async (variable, i): Promise<TypedData> => {
    const value = (await read[i]) as TypedData;
    const form = layer.fileForms?.get(variable);
    return (await merged)?.get(variable) ?? form?.toFile(value) ?? value;
  });
  variables.forEach((variable, i) => {
    const { dtype, shape } = variable;
    const form = layer.fileForms?.get(variable);
    if (form) {
      group.children.set(String(i), dataset(form.type, form.shape, values[i] as Promise<TypedData>));
      return;
    }
    const own = layer.elementTypes?.get(variable);
    const type = own ?? (dtype === 'float32' ? (floats.get(layer) ?? dtype) : types[dtype]);
    group.children.set(String(i), dataset(type, shape, values[i] as Promise<TypedData>));
  });
  for (const [name, vector] of Object.entries(layer.storedArrays ?? {})) {
    const data = Promise.resolve(Float32Array.from(vector));
    group.children.set(name, dataset('float32', [vector.length], data));
  }
  await Promise.all(values);
}

/** Reads a variable, or the sum of it and its adapter. */
async function valueInFile({ adapter }: SavedLayer, variable: Variable): Promise<TypedData> {
  if (!adapter || adapter.isMerged) return variable.data();
  requireSum('save', adapter);
  const isBias = adapter.bias !== null && adapter.layerBias === variable;
  if (!isBias && (adapter.weight !== variable || variable.dtype !== 'float32')) return variable.data();
  const [sum] = tidy(() => [unrecorded(() => (isBias ? mergedBias : merged)(adapter))]) as [Tensor];
  try {
    return await sum.data();
  } finally {
    sum.dispose();
  }
}

/** Returns the types of weights by their layers, where they follow from a policy in the file that the model was read from. */
function floatTypes(saveables: readonly Saveable[]): ReadonlyMap<AnyLayer, PolicyDType> {
  const types = new Map<AnyLayer, PolicyDType>();
  for (const { layer } of saveables) {
    const type = storedPolicy(layer)?.weights;
    if (!type) continue;
    types.set(layer, type);
    if (isModel(layer)) continue;
    // Layers that a layer makes for itself have its policy.
    for (const inside of layer.layersInside) if (!storedPolicy(inside)) types.set(inside, type);
  }
  return types;
}

/** Adds the states of random sequences: the seed, and the number of draws. */
function addSeeds(root: Filling, states: ReadonlyMap<string, Uint32Array<ArrayBuffer>>): void {
  for (const [path, state] of states) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    varsAt(root, path, name).children.set('0', dataset('uint32', [state.length], Promise.resolve(state)));
  }
}

function* addOptimizer(
  root: Filling,
  optimizer: Optimizer,
  path: string,
  add: (reading: Promise<unknown>) => void,
): Pieces<void> {
  const group = varsAt(root, path, optimizer.name);
  for (const [i, variable] of optimizer.variables.entries()) {
    const value = variable.data() as Promise<TypedData>;
    add(value);
    // Keras counts steps in 64 bits.
    const isCount = variable instanceof HostVariable && variable.dtype === 'int32';
    group.children.set(
      String(i),
      isCount
        ? dataset('int64', [], value.then(toInt64))
        : dataset(types[variable.dtype], variable.shape, value),
    );
    yield;
  }
}

function toInt64(data: TypedData): BigInt64Array<ArrayBuffer> {
  return BigInt64Array.from(data as Int32Array, BigInt);
}

function dataset(
  type: WrittenType,
  shape: readonly number[],
  values: Promise<TypedData | BigInt64Array>,
): NewDataset {
  async function* pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    yield bytesAs(type, await values);
  }
  // HDF5 has no such type: Keras finds its name in an attribute.
  const attributes = type === 'bfloat16' ? { attributes: new Map([['dtype', type]]) } : {};
  return { type, shape, ...attributes, pieces };
}

/** Returns the group `vars` of the object at `path`, whose name is `name`. */
function varsAt(root: Filling, path: string, name: string): Filling {
  let group = root;
  for (const part of [...path.split('/'), 'vars']) {
    if (part === '') continue;
    const found = group.children.get(part) as Filling | undefined;
    const next = found ?? emptyGroup();
    group.children.set(part, next);
    group = next;
  }
  group.attributes.set('name', name);
  return group;
}

function emptyGroup(): Filling {
  return { attributes: new Map(), children: new Map() };
}
