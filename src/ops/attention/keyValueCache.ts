/** @file keyValueCache: the state of a generation, the keys and values of all layers with room for a fixed number of rows. */
import { IndexOutOfRangeError, ShapeError } from '../../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../../core/options.ts';
import { requireInteger, requireOneOf, sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { requireDType } from '../../core/dtype.ts';
import { callSite } from '../../history/callSite.ts';
import { advanceKernel } from '../../kernels/attention/cachedAttention.ts';
import { tidy } from '../../tensor/scope.ts';
import { tensor } from '../../tensor/create.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { variable, type Variable } from '../../tensor/variable.ts';
import type { FaultReport } from '../../webgpu/faults.ts';
import { type CachedLayer, requireHeadSize } from './cachedAttention.ts';
import { cast } from '../elementwise/cast.ts';
import { zeros } from '../creation/creation.ts';
import { markReserved } from './reservedPositions.ts';
import type { TensorLike } from '../define/operands.ts';

export interface KeyValueCacheOptions {
  /** Layers of attention. */
  readonly layers: number;
  /** Sequences that are generated together. */
  readonly batch: number;
  /** Rows of a sequence that there is room for: prompt and generated tokens. */
  readonly maxLength: number;
  /** Heads of keys and values. */
  readonly heads: number;
  /** Elements of a key. */
  readonly size: number;
  /** Elements of a value. Default: `size`. */
  readonly valueSize?: number;
  /** How keys and values are stored: 'float32' (default) or 'float16', in half the memory. */
  readonly dtype?: 'float32' | 'float16';
}

const op = 'keyValueCache';

const optionNames: OptionNames<KeyValueCacheOptions> = {
  layers: false,
  batch: false,
  maxLength: false,
  heads: false,
  size: false,
  valueSize: false,
  dtype: false,
};

/**
 * The keys and values of a generation, for `cachedAttention`. A step first reserves its rows, `positions = cache.advance(n)`, and then
 * calls each layer with these positions, which rotary embeddings take as well. It lives until `dispose()`.
 */
export class KeyValueCache {
  /** The keys and values of each layer. */
  readonly layers: readonly CachedLayer[];
  /** int32 [batch]: the rows of each sequence. Assign smaller numbers to forget the last rows. */
  readonly lengths: Variable<'int32'>;
  /** Rows of a sequence that there is room for. */
  readonly maxLength: number;
  readonly batch: number;

  constructor(layers: readonly CachedLayer[], lengths: Variable<'int32'>, maxLength: number) {
    this.layers = layers;
    this.lengths = lengths;
    this.maxLength = maxLength;
    this.batch = lengths.size;
  }

  /** Bytes of keys and values on the device. */
  get bytes(): number {
    return this.layers.reduce((total, { keys, values }) => total + keys.bytes + values.bytes, 0);
  }

  /**
   * Reserves `rows` rows of each sequence, and returns their positions, int32 [batch, rows]: the next ones. With `counts`, int32
   * [batch], sequence b has only the first counts[b] of these rows, as in prompts that are padded at the end; the positions of
   * padding are -1. One launch for all layers.
   *
   * Errors: ShapeError if a sequence can't have so many rows at all; ValueError for `rows`. A sequence that has no room left, or a count
   * that isn't from 0 to `rows`, keeps its rows, and the readback of what depends on the positions throws IndexOutOfRangeError.
   */
  advance(rows: number, counts: TensorLike | null = null, ...extra: never[]): Tensor<'int32'> {
    rejectExtraArguments('advance', extra, ['rows', 'counts']);
    requireInteger('advance', 'rows', rows, 1);
    if (rows > this.maxLength) {
      throw new ShapeError({
        op: 'advance',
        rule: `the cache has room for ${this.maxLength} rows of a sequence.`,
        received: `${rows} rows`,
        hint: this.#hint,
      });
    }
    const positions = tidy(() => {
      const given = counts === null ? null : this.#checked(counts, rows);
      return advanceKernel(this.lengths, given, rows, this.maxLength, this.#fault(rows));
    });
    return markReserved(positions, this.maxLength);
  }

  #checked(counts: TensorLike, rows: number): Tensor {
    const found = counts instanceof Tensor ? counts : tensor(counts as number[], { dtype: 'int32' });
    requireDType('advance', 'counts', found.dtype, ['int32']);
    if (sameShape(found.shape, this.lengths.shape)) {
      const known = counts instanceof Tensor ? [] : Array.from(counts as ArrayLike<number>);
      known.forEach((count, sequence) => {
        if (!(Number.isInteger(count) && count >= 0 && count <= rows))
          throw wrongCount(sequence, count, rows);
      });
      return found;
    }
    throw new ShapeError({
      op: 'advance',
      rule: `\`counts\` has a number for each sequence: [${this.batch}].`,
      received: `counts ${formatSpec(found)}`,
      hint: 'leave it out if all sequences have the same rows.',
    });
  }

  get #hint(): string {
    return 'make a cache with a larger maxLength, or stop the generation before.';
  }

  /** Faults of a sequence: a wrong count, or no room. */
  #fault(rows: number): FaultReport {
    const site = callSite();
    const { maxLength, batch } = this;
    const recorded = site ? `\n  Recorded at ${site}` : '';
    return {
      count: 2 * batch,
      raise: (fault, value) => {
        const sequence = fault >> 1;
        if (fault % 2 === 0) return wrongCount(sequence, value | 0, rows, recorded);
        const length = value | 0;
        const wanted = length < 0 ? `has a length of ${length}` : `would have ${length}`;
        return new IndexOutOfRangeError({
          op: 'advance',
          rule: `the cache has room for ${maxLength} rows of a sequence: sequence ${sequence} ${wanted}.${recorded}`,
          hint: this.#hint,
          position: [sequence],
          index: length - 1,
          limit: maxLength,
          axis: 1,
        });
      },
    };
  }

  /** Forgets all rows. The memory stays reserved. */
  reset(...extra: never[]): this {
    rejectExtraArguments('reset', extra, []);
    tidy(() => this.lengths.assign(zeros([this.batch], { dtype: 'int32' })));
    return this;
  }

  /** Frees its memory. */
  dispose(): void {
    for (const { keys, values } of this.layers) {
      keys.dispose();
      values.dispose();
    }
    this.lengths.dispose();
  }
}

function wrongCount(sequence: number, count: number, rows: number, recorded = ''): IndexOutOfRangeError {
  return new IndexOutOfRangeError({
    op: 'advance',
    rule: `counts are integers from 0 to ${rows}, the rows of this call: sequence ${sequence} has ${count}.${recorded}`,
    hint: 'pass how many of its rows are no padding.',
    position: [sequence],
    index: count,
    limit: rows + 1,
    axis: 0,
  });
}

/**
 * Makes a cache of zeros for a generation: `layers` times keys [batch, maxLength, heads, size] and values [batch, maxLength, heads,
 * valueSize]. Errors: ValueError for options; ShapeError for heads that kernels can't read; OutOfMemoryError.
 */
export function keyValueCache(options: KeyValueCacheOptions): KeyValueCache;
export function keyValueCache(options: KeyValueCacheOptions, ...extra: unknown[]): KeyValueCache {
  rejectExtraArguments(op, extra, ['options']);
  checkOptions(op, options, optionNames);
  const { layers, batch, maxLength, heads, size, valueSize = size, dtype = 'float32' } = options;
  for (const [name, value] of Object.entries({ layers, batch, maxLength, heads, size, valueSize }))
    requireInteger(op, name, value, 1);
  requireOneOf(op, 'dtype', dtype, ['float32', 'float16']);
  requireHeadSize('a key', size, dtype);
  requireHeadSize('a value', valueSize, dtype);
  const room = (name: string, length: number): Variable =>
    tidy(() => {
      const empty = zeros([batch, maxLength, heads, length]);
      const held = dtype === 'float16' ? cast(empty, 'float16') : empty;
      return variable(held, { name, trainable: false });
    });
  const made: CachedLayer[] = [];
  for (let i = 0; i < layers; i++) {
    made.push({ keys: room(`keys_${i}`, size), values: room(`values_${i}`, valueSize) });
  }
  const lengths = tidy(() =>
    variable(zeros([batch], { dtype: 'int32' }), { name: 'lengths', trainable: false }),
  );
  return new KeyValueCache(made, lengths, maxLength);
}
