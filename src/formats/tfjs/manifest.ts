/**
 * @file The weights manifest of an untrusted TF.js layers model: groups of weights, each in shards next to
 * model.json. Sizes and names are checked before a shard is read.
 */
import { describe, maxRank, type Shape, sizeOf } from '../../core/shape.ts';
import { bufferedSource, type ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { dtypeOf, type HostArray, type NumberType, storedBytes, toHostArray } from '../numbers.ts';
import type { StoredTensor } from '../storedTensor.ts';

/** Opens a file next to model.json. */
export type OpenShard = (path: string) => Promise<ByteSource>;

/** How floats were stored as integers: value = stored · scale + min. */
interface Quantization {
  readonly scale: number;
  readonly min: number;
}

interface Entry {
  readonly name: string;
  readonly shape: Shape;
  readonly group: 'model' | 'optimizer';
  readonly type: NumberType;
  /** Dtype of the loaded tensor. */
  readonly dtype: 'float32' | 'int32' | 'bool';
  readonly quantization: Quantization | null;
}

const types: Readonly<Record<string, NumberType>> = { float32: 'float32', int32: 'int32', bool: 'bool' };
const quantizedTypes: Readonly<Record<string, NumberType>> = {
  uint8: 'uint8',
  uint16: 'uint16',
  float16: 'float16',
};

/** Tensors by name, in their order. */
export interface ManifestTensors {
  readonly model: Map<string, StoredTensor>;
  /** Tensors of the optimizer. */
  readonly optimizer: Map<string, StoredTensor>;
}

/** Returns the tensors of a manifest. Errors: FormatError for a damaged manifest, or one that doesn't match the shards. */
export async function readManifest(
  manifest: unknown,
  open: OpenShard,
  context: FileContext,
): Promise<ManifestTensors> {
  const tensors: ManifestTensors = { model: new Map(), optimizer: new Map() };
  const opened = new Set<string>();
  if (!Array.isArray(manifest))
    throw malformed(context, 'weightsManifest', 'it is a list of groups.', manifest);
  for (const [i, group] of manifest.entries()) {
    const place = `weightsManifest[${i}]`;
    const { paths, weights } = recordOf(group, place, context);
    if (!Array.isArray(weights))
      throw malformed(context, `${place}.weights`, 'it is a list of weights.', weights);
    const entries = weights.map((weight, j) => readEntry(weight, `${place}.weights[${j}]`, context));
    const source = await openGroup(requirePaths(paths, opened, `${place}.paths`, context), open, context);
    addTensors(tensors, entries, source, place, context);
  }
  return tensors;
}

function addTensors(
  all: ManifestTensors,
  entries: readonly Entry[],
  source: ByteSource,
  place: string,
  context: FileContext,
): void {
  let at = 0;
  for (const entry of entries) {
    const tensors = all[entry.group];
    if (tensors.has(entry.name))
      throw malformed(context, place, 'every weight has a name of its own.', `'${entry.name}', twice`);
    tensors.set(entry.name, storedTensor(entry, source, at, context));
    at += sizeOf(entry.shape) * storedBytes(entry.type);
  }
  if (at === source.size) return;
  throw fault(context, {
    place,
    rule: `the weights of a group fill its shards: ${at} bytes.`,
    received: `${source.size} bytes`,
    hint: 'a shard is cut short, or of another model: fetch all files again.',
  });
}

function storedTensor(entry: Entry, source: ByteSource, begin: number, context: FileContext): StoredTensor {
  const { name, shape, type, dtype, quantization } = entry;
  const place = `weight '${name}'`;
  const size = storedBytes(type);
  const read: StoredTensor['read'] = async (from, to, memory) => {
    const bytes = await source.read(begin + from * size, begin + to * size, memory);
    const values = toHostArray(type, bytes, true, ({ index, value }) =>
      fault(context, {
        place: `${place}, element ${from + index}`,
        rule: `integers fit into ${dtypeOf(type)}.`,
        received: String(value),
      }),
    );
    return quantization ? dequantized(values, quantization, dtype) : values;
  };
  return { place, shape, dtype, read };
}

function dequantized(values: HostArray, { scale, min }: Quantization, dtype: Entry['dtype']): HostArray {
  if (dtype === 'int32') return Int32Array.from(values, (value) => Math.round(value * scale + min));
  return Float32Array.from(values, (value) => value * scale + min);
}

async function openGroup(
  paths: readonly string[],
  open: OpenShard,
  { file }: FileContext,
): Promise<ByteSource> {
  const shards: ByteSource[] = [];
  for (const path of paths) shards.push(await open(path));
  // Graphs have thousands of constants of a few bytes, one after the other.
  return bufferedSource(joinedSource(shards, file));
}

function readEntry(given: unknown, place: string, context: FileContext): Entry {
  const { name, shape, dtype, quantization, group } = recordOf(given, place, context);
  if (typeof name !== 'string' || name === '')
    throw malformed(context, `${place}.name`, 'it is a string.', name);
  const isShape = Array.isArray(shape) && shape.length <= maxRank && shape.every(isSize);
  if (!isShape || !Number.isSafeInteger(4 * sizeOf(shape)))
    throw malformed(context, `${place}.shape`, `it is a list of at most ${maxRank} sizes.`, shape);
  const type = typeOf(types, dtype);
  if (!type) throw malformed(context, `${place}.dtype`, "it is 'float32', 'int32' or 'bool'.", dtype);
  const plain = {
    name: name.replace(/:0$/, ''),
    shape: shape as Shape,
    group: group === 'optimizer' ? ('optimizer' as const) : ('model' as const),
  };
  const found = dtype as Entry['dtype'];
  if (quantization === undefined || quantization === null)
    return { ...plain, type, dtype: found, quantization: null };
  return {
    ...plain,
    dtype: found,
    ...readQuantization(quantization, found, `${place}.quantization`, context),
  };
}

function readQuantization(
  given: unknown,
  original: Entry['dtype'],
  place: string,
  context: FileContext,
): Pick<Entry, 'type' | 'quantization'> {
  const { dtype, scale, min } = recordOf(given, place, context);
  const type = typeOf(quantizedTypes, dtype);
  const isFloat16 = type === 'float16';
  if (!type || original === 'bool' || (isFloat16 && original !== 'float32'))
    throw malformed(context, `${place}.dtype`, "it is 'uint8', 'uint16', or 'float16' for floats.", dtype);
  if (isFloat16) return { type, quantization: null };
  if (!Number.isFinite(scale) || !Number.isFinite(min))
    throw malformed(context, place, '`scale` and `min` are finite numbers.', { scale, min });
  return { type, quantization: { scale: scale as number, min: min as number } };
}

/** Errors: FormatError for paths that lead out of the folder of model.json, and for those that are already `opened`. */
function requirePaths(
  paths: unknown,
  opened: Set<string>,
  place: string,
  context: FileContext,
): readonly string[] {
  if (!Array.isArray(paths)) throw malformed(context, place, 'it is a list of file names.', paths);
  const isInside = (path: unknown): path is string =>
    typeof path === 'string' &&
    /^[^/\\:?#%\0]+(\/[^/\\:?#%\0]+)*$/.test(path) &&
    !path.split('/').some((part) => part === '..' || part === '.');
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined)
    throw malformed(context, place, 'shards are files in the folder of model.json.', outside);
  for (const path of paths as readonly string[]) {
    if (opened.has(path)) throw malformed(context, place, 'each shard is listed once.', path);
    opened.add(path);
  }
  return paths;
}

function recordOf(given: unknown, place: string, context: FileContext): Record<string, unknown> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return given as Record<string, unknown>;
  throw malformed(context, place, 'it is an object.', given);
}

function typeOf(table: Readonly<Record<string, NumberType>>, name: unknown): NumberType | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function malformed(context: FileContext, place: string, rule: string, received: unknown): Error {
  return fault(context, { place, rule, received: describe(received) });
}

/** Returns the bytes of `parts` one after the other. A range in one part is read without a copy. */
function joinedSource(parts: readonly ByteSource[], name: string): ByteSource {
  const begins: number[] = [];
  let size = 0;
  for (const part of parts) {
    begins.push(size);
    size += part.size;
  }
  const read: ByteSource['read'] = async (begin, end, memory) => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (const [i, part] of parts.entries()) {
      const start = begins[i] as number;
      const [from, to] = [Math.max(begin, start), Math.min(end, start + part.size)];
      // The next part would overwrite this one's bytes in the same memory.
      const isWhole = from === begin && to === end;
      if (from < to) pieces.push(await part.read(from - start, to - start, isWhole ? memory : undefined));
    }
    const [only] = pieces;
    if (only && pieces.length === 1) return only;
    const joined = new Uint8Array(end - begin);
    let at = 0;
    for (const piece of pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    return joined;
  };
  const close = async () => {
    for (const part of parts) await part.close?.();
  };
  return { name, size, read, close };
}
