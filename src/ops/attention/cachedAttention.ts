/** @file cachedAttention: attention of new queries to the keys and values of a generation, which grow in place. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../../core/options.ts';
import {
  describe,
  formatShape,
  requireFinite,
  requireInteger,
  requireRank,
  sameShape,
} from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { AttentionSizes } from '../../kernels/attention/attention.ts';
import { cachedAttentionKernel, largestCachedHead } from '../../kernels/attention/cachedAttention.ts';
import { checkIndicesKernel } from '../../kernels/indexing/rows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { Call } from '../define/call.ts';
import { checkingOf } from '../define/indices.ts';
import { defineOp, type Op } from '../define/define.ts';
import type { TensorLike } from '../define/operands.ts';
import { areReserved } from './reservedPositions.ts';

/** The keys and values of a layer in a `KeyValueCache`. */
export interface CachedLayer {
  /** float32 or float16 [batch, maxLength, key heads, size]. */
  readonly keys: Variable;
  /** The same with the size of values. */
  readonly values: Variable;
}

export interface CachedAttentionOptions {
  /** The factor of the products of queries and keys. Default: 1 / √(size of a query). */
  scale?: number | null;
  /** How many keys a query sees, its own included (sliding window). Default: all. */
  window?: number | null;
  /** Scores s become softcap · tanh(s / softcap), as in Gemma 2. Default: they stay as they are. */
  softcap?: number | null;
}

const op = 'cachedAttention';

const optionNames: OptionNames<CachedAttentionOptions> = { scale: false, window: false, softcap: false };

interface CachedAttentionPlan extends TensorSpec {
  readonly sizes: AttentionSizes;
  readonly scale: number;
  readonly window: number | null;
  readonly softcap: number | null;
}

type Specs = readonly [
  query: TensorSpec,
  key: TensorSpec,
  value: TensorSpec,
  positions: TensorSpec,
  keys: TensorSpec,
  values: TensorSpec,
];

function planCached(specs: Specs, options: CachedAttentionOptions): CachedAttentionPlan {
  const [query, , , positions] = specs;
  const { window = null, softcap = null } = options;
  const sizes = sizesOf(specs);
  const scale = options.scale ?? (sizes.size > 0 ? 1 / Math.sqrt(sizes.size) : 1);
  requireFinite(op, 'scale', scale);
  if (window !== null) requireInteger(op, 'window', window, 1);
  if (softcap !== null && !(typeof softcap === 'number' && Number.isFinite(softcap) && softcap > 0)) {
    throw new ValueError({
      op,
      rule: '`softcap` is a positive number, or null.',
      received: `softcap: ${describe(softcap)}`,
      hint: 'leave it out for scores as they are.',
    });
  }
  requireDType(op, 'positions', positions.dtype, ['int32']);
  const rows = query.shape.slice(0, 2);
  if (!sameShape(positions.shape, rows)) {
    throw new ShapeError({
      op,
      rule: `\`positions\` has a number for each new row: ${formatShape(rows)}.`,
      received: `positions ${formatSpec(positions)}`,
      hint: 'pass what cache.advance(rows) returns.',
    });
  }
  const { batch, queries, heads, valueSize } = sizes;
  return { shape: [batch, queries, heads, valueSize], dtype: 'float32', sizes, scale, window, softcap };
}

function sizesOf([query, key, value, , keys, values]: Specs): AttentionSizes {
  const named = { query, key, value, keys, values };
  for (const [what, spec] of Object.entries(named)) {
    requireRank(op, what, spec.shape, 4);
    const isCached = what === 'keys' || what === 'values';
    requireDType(op, what, spec.dtype, isCached ? ['float32', 'float16'] : ['float32']);
  }
  const [batch, queries, heads, size] = query.shape as [number, number, number, number];
  const [, maxLength, keyHeads] = keys.shape as [number, number, number, number];
  const valueSize = value.shape[3] as number;
  const reject = (rule: string, hint: string) => {
    const received = Object.entries(named).map(([what, spec]) => `${what} ${formatSpec(spec)}`);
    throw new ShapeError({ op, rule, received: received.join(', '), hint });
  };
  const fits =
    sameShape(key.shape, [batch, queries, keyHeads, size]) &&
    sameShape(value.shape, [batch, queries, keyHeads, valueSize]);
  if (!fits) {
    reject(
      'key and value have the batch and length of the query, and the heads of the cache.',
      'shapes are [batch, length, heads, size]; check the order: query, key, value.',
    );
  }
  const isCacheFor =
    sameShape(keys.shape, [batch, maxLength, keyHeads, size]) &&
    sameShape(values.shape, [batch, maxLength, keyHeads, valueSize]);
  if (!isCacheFor) {
    reject(
      'the cache holds keys and values of this batch and size.',
      'make it with them: keyValueCache({ layers, batch, maxLength, heads, size, valueSize }).',
    );
  }
  if (keyHeads === 0 ? heads > 0 : heads % keyHeads !== 0) {
    reject('the heads of key and value divide those of the query.', 'repeat or project the keys.');
  }
  requireHeadSize('a query', size, keys.dtype);
  requireHeadSize('a value', valueSize, keys.dtype);
  return { batch, queries, keys: maxLength, heads, keyHeads, size, valueSize };
}

/** Throws unless kernels can read heads of `size`. Errors: ShapeError. */
export function requireHeadSize(what: string, size: number, dtype: string): void {
  if (size >= 1 && size <= largestCachedHead && (dtype !== 'float16' || size % 4 === 0)) return;
  throw new ShapeError({
    op,
    rule: `heads have from 1 to ${largestCachedHead} elements, in a cache of float16 a multiple of 4.`,
    received: `${size} elements of ${what}, in a cache of ${dtype}`,
    hint:
      dtype === 'float16' ? "use dtype: 'float32' for such heads." : 'divide the heads into smaller ones.',
  });
}

/** Throws for positions behind the end of the cache that the host knows, and has the device check others. */
function checkPositions(call: Call, positions: Tensor, { sizes }: CachedAttentionPlan): void {
  const { batch, queries, keys } = sizes;
  if (areReserved(call.operands[3], keys)) return;
  const checking = checkingOf(
    call,
    positions,
    {},
    {
      input: 3,
      name: 'positions',
      of: 'the cache',
      axes: [1],
      limits: [keys],
      hint: 'pass what cache.advance(rows) returns.',
      ignoresNegative: true,
    },
  );
  if (checking.check === 'none') return;
  const whole = { addressing: 'axis', mode: 'outside', batch: 1, outer: 1, inner: 1 } as const;
  checkIndicesKernel(positions, { ...whole, rows: keys, entries: batch * queries, limit: keys }, checking);
}

/** Writes to the variables `keys` and `values`. */
const attended: Op<
  [query: Tensor, key: Tensor, value: Tensor, positions: Tensor, keys: Tensor, values: Tensor],
  CachedAttentionOptions
> = /* @__PURE__ */ defineOp({
  name: op,
  inputs: ['query', 'key', 'value', 'positions:int32', 'keys', 'values'],
  acceptsFloat16: [4, 5],
  infer: planCached,
  forward: ([query, key, value, positions, keys, values], plan, call) => {
    const { faults } = query.device;
    const firstCheck = faults.tracker.begun;
    checkPositions(call, positions, plan);
    const cache = { keys: keys as Variable, values: values as Variable };
    const result = cachedAttentionKernel(op, { query, key, value, positions, ...cache, ...plan }, plan);
    // A row that has no place is missing in the cache, too.
    const checks = faults.checksFrom(firstCheck);
    for (const { storage } of [keys, values]) query.device.attachChecks(checks, storage);
    return result;
  },
  backward: null,
  cost: (_, __, { sizes: { batch, heads, queries, keys, size, valueSize } }) => ({
    flops: 2 * batch * heads * queries * keys * (size + valueSize),
  }),
});

/**
 * Attention of new queries to what a generation has seen: writes the new keys and values to their `positions` in a layer of a
 * `keyValueCache`, and attends to all up to the position of the query. Causal; one launch for a decoding step. Shapes: query
 * [batch, length, heads, size], key [batch, length, key heads, size], value [batch, length, key heads, value size], `positions` int32
 * [batch, length] from `cache.advance` → [batch, length, heads, value size]. The number of key heads divides that of query heads
 * (grouped queries). float32, also sums; the cache may be float16. A row at a negative position isn't written, and its result is
 * 0; so is one behind the end of the cache, which is a fault. Positions of another origin than `cache.advance` take a launch more, which
 * checks them.
 *
 * Positions are data, so that `compile` replays one recording for every step. No gradient. Nothing is copied: memory is the cache, and
 * its whole batch has room for `maxLength` rows.
 * Errors: ShapeError, DTypeError for tensors that don't fit; ValueError for options, and for a layer that isn't of a cache;
 * IndexOutOfRangeError for positions behind the end of the cache: at the call for nested arrays, otherwise at the readback of what
 * depends on the row, cache included.
 */
export function cachedAttention(
  query: TensorLike,
  key: TensorLike,
  value: TensorLike,
  positions: TensorLike,
  layer: CachedLayer,
  options?: CachedAttentionOptions,
): Tensor<'float32'>;
export function cachedAttention(
  query: TensorLike,
  key: TensorLike,
  value: TensorLike,
  positions: TensorLike,
  layer: CachedLayer,
  options: CachedAttentionOptions = {},
  ...extra: unknown[]
): Tensor<'float32'> {
  rejectExtraArguments(op, extra, ['query', 'key', 'value', 'positions', 'layer', 'options']);
  checkOptions(op, options, optionNames);
  const { keys, values } = requireLayer(layer);
  return attended(query, key, value, positions, keys, values, options) as Tensor<'float32'>;
}

function requireLayer(layer: unknown): CachedLayer {
  const { keys, values } = (layer ?? {}) as Partial<CachedLayer>;
  // What writes both at once can't bind one buffer twice, and reads both in one dtype.
  const areTwo = keys instanceof Variable && values instanceof Variable && keys !== values;
  if (areTwo && keys.dtype === values.dtype) return { keys, values };
  throw new ValueError({
    op,
    rule: '`layer` has two variables of one dtype, `keys` and `values`, which are written in place.',
    received: `layer: ${describe(layer)}`,
    hint: 'pass one of cache.layers of a keyValueCache.',
  });
}
