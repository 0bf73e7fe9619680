/**
 * @file The names that a state dictionary may contain, and their meaning here. All other names are rejected, because a pickle
 * may import and call anything that it names.
 */
import { maxRank } from '../../core/shape.ts';
import type { NumberType } from '../numbers.ts';
import { Global, type Meaning, type PickleValue, Storage, TensorView } from './values.ts';

const storages: Readonly<Record<string, NumberType>> = {
  FloatStorage: 'float32',
  DoubleStorage: 'float64',
  HalfStorage: 'float16',
  BFloat16Storage: 'bfloat16',
  LongStorage: 'int64',
  IntStorage: 'int32',
  ShortStorage: 'int16',
  CharStorage: 'int8',
  ByteStorage: 'uint8',
  BoolStorage: 'bool',
};

const dtypes: Readonly<Record<string, NumberType>> = {
  float32: 'float32',
  float64: 'float64',
  float16: 'float16',
  bfloat16: 'bfloat16',
  int64: 'int64',
  int32: 'int32',
  int16: 'int16',
  int8: 'int8',
  uint64: 'uint64',
  uint32: 'uint32',
  uint16: 'uint16',
  uint8: 'uint8',
  bool: 'bool',
};

const call = (build: (args: readonly PickleValue[]) => PickleValue | undefined): Meaning => ({
  kind: 'call',
  call: build,
});

/** Arguments: storage, offset, size, strides, and others that don't affect values. */
const rebuildTensor = call(([storage, offset, size, strides]) =>
  storage instanceof Storage && storage.type !== null
    ? viewOf(storage, storage.type, offset, size, strides)
    : undefined,
);

/** Like `rebuildTensor`, with a dtype as the seventh argument. */
const rebuildTyped = call(([storage, offset, size, strides, , , dtype]) =>
  storage instanceof Storage && dtype instanceof Global && dtype.meaning.kind === 'dtype'
    ? viewOf(storage, dtype.meaning.type, offset, size, strides)
    : undefined,
);

/** A parameter is read as its tensor. */
const rebuildParameter = call(([data]) => (data instanceof TensorView ? data : undefined));

/** Functions that build tensors of the plain class. */
const rebuilders: ReadonlySet<Meaning> = new Set([rebuildTensor, rebuildTyped]);

/** Arguments: the function that builds the tensor, its class, the function's arguments, attributes. */
const rebuildFromType = call(([build, , args]) =>
  build instanceof Global &&
  build.meaning.kind === 'call' &&
  rebuilders.has(build.meaning) &&
  Array.isArray(args)
    ? build.meaning.call(args)
    : undefined,
);

const allowed: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['collections.OrderedDict', call(orderedDict)],
  ['torch.Size', call(([sizes]) => (Array.isArray(sizes) ? sizes : undefined))],
  ['torch.device', call(([name]) => (typeof name === 'string' ? name : undefined))],
  ['torch.Tensor', { kind: 'class' }],
  ['torch.nn.parameter.Parameter', { kind: 'class' }],
  ['torch._utils._rebuild_tensor', rebuildTensor],
  ['torch._utils._rebuild_tensor_v2', rebuildTensor],
  ['torch._utils._rebuild_tensor_v3', rebuildTyped],
  ['torch._utils._rebuild_parameter', rebuildParameter],
  ['torch._utils._rebuild_parameter_with_state', rebuildParameter],
  ['torch._tensor._rebuild_from_type_v2', rebuildFromType],
  ['torch.storage.UntypedStorage', { kind: 'storage', type: null }],
  ...Object.entries(storages).map(([name, type]) => [`torch.${name}`, { kind: 'storage', type }] as const),
  ...Object.entries(dtypes).map(([name, type]) => [`torch.${name}`, { kind: 'dtype', type }] as const),
]);

/** Returns the meaning of `name`; null for names that a file must not contain. */
export function findGlobal(name: string): Global | null {
  const meaning = allowed.get(name);
  return meaning ? new Global(name, meaning) : null;
}

/** Returns an ordered dictionary, empty or from pairs. */
function orderedDict([pairs = []]: readonly PickleValue[]): PickleValue | undefined {
  if (!Array.isArray(pairs)) return undefined;
  const items = pairs as readonly PickleValue[];
  const arePairs = items.every((pair) => Array.isArray(pair) && pair.length === 2);
  return arePairs ? new Map(items as readonly [PickleValue, PickleValue][]) : undefined;
}

function viewOf(
  storage: Storage,
  type: NumberType,
  offset: PickleValue | undefined,
  shape: PickleValue | undefined,
  strides: PickleValue | undefined,
): TensorView | undefined {
  if (!isCount(offset) || !isCounts(shape) || !isCounts(strides)) return undefined;
  if (shape.length !== strides.length || shape.length > maxRank) return undefined;
  return new TensorView(storage, type, offset, shape, strides);
}

function isCounts(value: PickleValue | undefined): value is readonly number[] {
  return Array.isArray(value) && value.every(isCount);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
