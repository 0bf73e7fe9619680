/**
 * @file Sets the weights of a model to the values of a file: all of them, or none. Small files are uploaded next to the old
 * values. For large files there is no second copy on the device: the file is read and checked first, and then read again into
 * the weights.
 */
import { RetrogradError } from '../../core/errors.ts';
import { type Assignment, assignAll } from '../../tensor/assignAll.ts';
import type { ReadCache } from '../../storage/readCache.ts';
import type { StoredWeight } from './storedWeights.ts';
import {
  fill,
  gather,
  type NotFinite,
  storedOf,
  totalBytes,
  Transfer,
  type TransferOptions,
} from './upload.ts';

/** Up to this many bytes, the device holds two copies, because reading twice would take longer. */
const maxTwice = 128 << 20;

/**
 * `reads` are the reads of the file, which is read twice if the weights have more than `limit` bytes. Errors: those of
 * reading; the weights are then unchanged.
 */
export async function assignStored(
  weights: readonly StoredWeight[],
  reads: ReadCache,
  options: TransferOptions,
  limit = maxTwice,
): Promise<NotFinite[]> {
  const bytes = totalBytes(storedOf(weights));
  const isInPlace = bytes > limit && (reads.source.isLocal || (await reads.begin(bytes)));
  return isInPlace ? assignInPlace(weights, reads, options) : assignCopies(weights, options);
}

async function assignCopies(
  weights: readonly StoredWeight[],
  options: TransferOptions,
): Promise<NotFinite[]> {
  const transfer = new Transfer(storedOf(weights), options);
  const assignments: Assignment[] = [];
  try {
    const found = await gather(weights, async ({ variable, stored }) => {
      const { tensor, notFinite } = await transfer.upload(stored, variable.device);
      assignments.push([variable, tensor]);
      return notFinite;
    });
    assignAll(assignments);
    return found;
  } finally {
    for (const [, tensor] of assignments) tensor.dispose();
  }
}

async function assignInPlace(
  weights: readonly StoredWeight[],
  reads: ReadCache,
  { signal, ...options }: TransferOptions,
): Promise<NotFinite[]> {
  const stored = storedOf(weights);
  const checking = new Transfer(stored, { ...options, signal }, { readings: 2 });
  const found = await gather(weights, ({ stored }) => checking.check(stored));
  await reads.finish();
  signal?.throwIfAborted();
  // Disposed weights are rejected before any is changed.
  for (const { variable } of weights) void variable.storage;
  // Once writing has begun, it isn't interrupted.
  const writing = new Transfer(stored, options, { readings: 2, reading: 1 });
  let written = 0;
  try {
    for (const { variable, stored } of weights) {
      await fill(writing, variable, stored);
      written++;
    }
  } catch (cause) {
    throw changedMeanwhile(options.file, written, weights.length, cause);
  }
  return found;
}

function changedMeanwhile(file: string, written: number, all: number, cause: unknown): RetrogradError {
  return new RetrogradError({
    op: `loadWeights ${file}`,
    rule: 'a file that was read and checked can be read again.',
    received: `${String(cause)}; ${written} of ${all} weights have its values by now`,
    hint: 'load the file again while nothing modifies it.',
    cause,
  });
}
