/** @file Learns what the layers of features need from data: vocabularies, moments, boundaries of bins. */
import { ValueError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/options.ts';
import { describe, type Shape, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { Discretization } from '../layers/preprocessing/discretization.ts';
import { IntegerLookup } from '../layers/preprocessing/integerLookup.ts';
import { asNest, type HostArray, type HostNest } from '../layers/preprocessing/lookup/hostValues.ts';
import { VocabularyLayer } from '../layers/preprocessing/lookup/vocabularyLayer.ts';
import { Normalization } from '../layers/preprocessing/normalization.ts';
import type { Preprocessor } from './features.ts';
import { columnShape, type FeatureData, type FeatureValue, type Value, valuesOf } from './featureValues.ts';

/** Samples or batches of them, one after the other, or all samples in one record. */
export type AdaptData = FeatureData | AsyncIterable<FeatureData> | Iterable<FeatureData>;

/** As in Keras, samples that come one by one are learned from in batches of as many. */
const batchSize = 32;

/** Whether a layer learns from data: it has `adapt`, and was given nothing to begin with. */
export function learns(layer: Preprocessor): boolean {
  if (!('adapt' in layer)) return false;
  if (layer instanceof Normalization) return layer.getConfig().mean === null;
  if (layer instanceof Discretization) return layer.numBins !== null;
  const isLookup = layer instanceof IntegerLookup || layer instanceof VocabularyLayer;
  return isLookup ? layer.learnsVocabulary : true;
}

/** The values of each feature of `names`, in batches, each of them [samples, ...]. Errors: ValueError for anything but records. */
export async function batchesOf(
  op: string,
  data: AdaptData,
  names: readonly string[],
): Promise<ReadonlyMap<string, HostArray<Value>[]>> {
  const batches = new Map(names.map((name): [string, Batches] => [name, new Batches()]));
  const take = async (element: unknown) => {
    if (!isPlainObject(element)) throw notRecords(op, element);
    for (const [name, into] of batches) {
      if (!Object.hasOwn(element, name)) throw notRecords(op, element, `no feature '${name}'`);
      into.add(await hostValues(op, name, element[name] as FeatureValue));
    }
  };
  if (isIterable(data)) {
    for await (const element of data) {
      await take(element);
      // The elements of a dataset belong to the code that takes them.
      if (Symbol.asyncIterator in data) dispose(element);
    }
  } else {
    if (!isPlainObject(data)) throw notRecords(op, data);
    for (const [name, into] of batches) {
      if (!Object.hasOwn(data, name)) throw notRecords(op, data, `no feature '${name}'`);
      for (const sample of samplesOf(await hostValues(op, name, data[name] as FeatureValue)))
        into.add(sample);
    }
  }
  return new Map([...batches].map(([name, found]) => [name, found.all]));
}

/** Lets a layer learn. Errors: those of its `adapt`. */
export async function adaptLayer(layer: Preprocessor, batches: readonly HostArray<Value>[]): Promise<void> {
  if (layer instanceof Normalization) {
    const tensors = batches.map(({ shape, values }) =>
      tensor(values as readonly number[] as number[], { shape: [...shape], dtype: 'float32' }),
    );
    try {
      layer.adapt(tensors);
    } finally {
      for (const each of tensors) each.dispose();
    }
    return;
  }
  if (layer instanceof Discretization) {
    layer.adaptToBatches(batches.map(({ values }) => Float32Array.from(values as readonly number[])));
    return;
  }
  const rows = batches.flatMap((batch) => asNest(batch) as readonly HostNest<Value>[]);
  await (layer as unknown as { adapt(data: unknown): unknown }).adapt(rows);
}

/** Collects the batches of a feature; single values are joined to batches. */
class Batches {
  readonly all: HostArray<Value>[] = [];
  /** The values of a batch that isn't full. */
  #open: Value[] | null = null;

  add({ shape, values }: HostArray<Value>): void {
    if (shape.length > 0) {
      this.all.push({ shape: columnShape(shape), values });
      return;
    }
    const open = this.#open ?? [];
    if (open.length > 0) this.all.pop();
    open.push(values[0] as Value);
    this.all.push({ shape: [open.length, 1], values: open });
    this.#open = open.length < batchSize ? open : null;
  }
}

async function hostValues(op: string, name: string, given: FeatureValue): Promise<HostArray<Value>> {
  if (!(given instanceof Tensor)) return valuesOf(op, name, given);
  return { shape: given.shape as Shape, values: Array.from((await given.data()) as ArrayLike<number>) };
}

/** Each sample of a list. */
function samplesOf({ shape: [count = 0, ...shape], values }: HostArray<Value>): HostArray<Value>[] {
  const size = sizeOf(shape);
  return Array.from({ length: count }, (_, i) => ({ shape, values: values.slice(i * size, (i + 1) * size) }));
}

function dispose(element: unknown): void {
  for (const value of Object.values(element as object)) if (value instanceof Tensor) value.dispose();
}

function isIterable(data: unknown): data is AsyncIterable<unknown> | Iterable<unknown> {
  const isObject = typeof data === 'object' && data !== null;
  return isObject && (Symbol.asyncIterator in data || Symbol.iterator in data);
}

function notRecords(op: string, received: unknown, missing?: string): ValueError {
  return new ValueError({
    op,
    rule: 'it adapts to a record of lists, or to a dataset whose elements are records, with all features.',
    received: missing ?? describe(received),
    hint: 'leave labels out: space.adapt(dataset.map(([features]) => features)).',
  });
}
