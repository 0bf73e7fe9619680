/**
 * @file Readback: the only operation that waits. Values that are requested together, before the program yields, are copied to
 * one staging buffer in one submission, with the fault words since the last readback. Staging memory is bounded: further values
 * wait until earlier ones have arrived, and large tensors are read in pieces.
 */
import type { RetrogradError } from '../core/errors.ts';
import type { BoundRange } from './boundRange.ts';
import { polled } from './completion.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { Collection, FaultWords } from './faults.ts';
import type { FaultCarrier } from './faultSets.ts';
import type { Journal } from './journal.ts';
import type { StagingBuffers } from './stagingBuffers.ts';
import { wholeWords } from './storage.ts';
import type { CommandStream } from './stream.ts';
import type { ErrorWatch } from './watch.ts';

/** The maximum number of bytes in a staging buffer, and in all that are in use: one is mapped while the next is copied to. */
const maxPartBytes = 2 ** 25;
const maxBytesInUse = 2 * maxPartBytes;

/** What a readback found. */
export interface ReadResult {
  readonly bytes: ArrayBuffer;
  /** Errors of the device that arrived until then. */
  readonly arrived: readonly RetrogradError[];
}

/** Values to read. Nothing overwrites them before they are copied. */
interface Request {
  readonly range: BoundRange;
  /** Receives a loss of the values. */
  readonly values: FaultCarrier;
  /** Null until the first piece arrived. */
  bytes: ArrayBuffer | null;
  /** The parts that the values are in. */
  parts: readonly Part[];
}

/** A piece of the values of a request, `at` bytes from the start of a staging buffer. */
interface Piece {
  readonly request: Request;
  readonly begin: number;
  readonly bytes: number;
  readonly at: number;
}

/** The contents of one staging buffer. */
interface Part extends Deferred<readonly RetrogradError[]> {
  readonly pieces: Piece[];
  bytes: number;
}

/** Requests that are submitted together. */
interface Batch extends Deferred<readonly RetrogradError[]> {
  readonly requests: Request[];
}

const noParts: readonly Part[] = [];

/** A promise that is settled by another one. */
interface Deferred<T> {
  readonly done: Promise<T>;
  settle(by: Promise<T>): void;
}

/** A part, and the staging buffer that its values are copied to. */
interface Copy {
  readonly part: Part;
  readonly staging: DeviceBuffer;
  /** Bytes of fault words behind the values. */
  wordBytes: number;
}

export class Readback {
  /** The requests since the program last yielded; null if there are none. */
  #open: Batch | null = null;
  /** Parts for which there was no staging memory yet. */
  readonly #waiting: Part[] = [];
  #bytesInUse = 0;

  constructor(
    private readonly device: GPUDevice,
    private readonly stream: CommandStream,
    private readonly faults: FaultWords,
    private readonly journal: Journal,
    private readonly watch: ErrorWatch,
    private readonly staging: StagingBuffers,
  ) {}

  /**
   * Returns the bytes of `range`, once all work before it is done and its checks are resolved. A loss of the values is noted for
   * `values`. The caller keeps the library from overwriting the range until then. If an app may write to it, call `submit` next.
   * Errors: those of the mapping.
   */
  async read(range: BoundRange, values: FaultCarrier): Promise<ReadResult> {
    // Thousands of readbacks may wait at a time: what each holds is what the garbage collector copies meanwhile.
    const request: Request = { range, values, bytes: null, parts: noParts };
    const batch = this.#batch();
    batch.requests.push(request);
    let arrived = await batch.done;
    for (const { done } of request.parts) {
      const more = await done;
      if (more.length > 0) arrived = [...new Set([...arrived, ...more])];
    }
    return { bytes: request.bytes ?? new ArrayBuffer(0), arrived };
  }

  /** Waits for all work and its checks, without reading values. Returns the errors of the device that arrived until then. */
  finish(): Promise<readonly RetrogradError[]> {
    if (this.#open) this.#submit(this.#open);
    return this.#start(maxBytesInUse, true);
  }

  /** Submits all copies that were requested. */
  submit(): void {
    if (this.#open) this.#submit(this.#open, Number.POSITIVE_INFINITY);
    else if (this.#waiting.length > 0) this.#continue(Number.POSITIVE_INFINITY);
  }

  #batch(): Batch {
    if (this.#open) return this.#open;
    const batch: Batch = { requests: [], ...deferred() };
    this.#open = batch;
    queueMicrotask(() => {
      if (this.#open === batch) this.#submit(batch);
    });
    return batch;
  }

  #submit({ requests, settle }: Batch, limit = maxBytesInUse): void {
    this.#open = null;
    for (const part of partsOf(requests)) this.#waiting.push(part);
    // Without values there is no copy to wait for.
    settle(
      this.#start(
        limit,
        requests.some(({ parts }) => parts.length === 0),
      ),
    );
  }

  /** Copies more of the waiting parts. Their requests report what fails. */
  #continue(limit = maxBytesInUse): void {
    this.#start(limit, false).catch(() => {});
  }

  /**
   * Submits the copies of as many waiting parts as `limit` bytes of staging memory hold, and of the fault words. Resolves once the
   * checks are resolved; if `waits` is set, once all work is done. Returns the errors of the device that arrived until then.
   */
  async #start(limit: number, waits: boolean): Promise<readonly RetrogradError[]> {
    const collection = this.faults.collect();
    let words: Uint32Array | null = null;
    const keepWords = (copied: ArrayBuffer) => {
      words = new Uint32Array(copied);
    };
    try {
      const copies = this.#acquire(limit, collection.bytes);
      const readWords = this.#copyWords(collection, copies);
      for (const copy of copies) this.#copy(copy);
      this.stream.drain();
      const settled = this.watch.settled();
      for (const copy of copies) this.#read(copy, settled, keepWords);
      const [first] = copies;
      if (readWords) keepWords(await readWords());
      else if (first && first.wordBytes > 0) await first.part.done;
      else if (waits) await polled(this.device, this.device.queue.onSubmittedWorkDone());
      return await settled;
    } finally {
      collection.resolve(words);
      await collection.resolved;
    }
  }

  /** Acquires staging buffers for waiting parts. Parts for which that fails are settled. */
  #acquire(limit: number, wordBytes: number): Copy[] {
    const copies: Copy[] = [];
    for (let [part] = this.#waiting; part && this.#fits(part, limit); [part] = this.#waiting) {
      this.#waiting.shift();
      try {
        // The first one may hold the fault words, too.
        const staging = this.staging.acquire(part.bytes + (copies.length === 0 ? wordBytes : 0));
        this.#bytesInUse += staging.size;
        copies.push({ part, staging, wordBytes: 0 });
      } catch (error) {
        part.settle(Promise.reject(error));
      }
    }
    return copies;
  }

  #fits({ bytes }: Part, limit: number): boolean {
    return this.#bytesInUse === 0 || this.#bytesInUse + bytes <= limit;
  }

  /** Copies the fault words behind the values of the first part, or to a separate staging buffer, of which it returns a reader. */
  #copyWords({ bytes }: Collection, [first]: readonly Copy[]): (() => Promise<ArrayBuffer>) | null {
    if (bytes === 0) return null;
    // A new buffer may have no memory, and then nothing of its submission runs: the fault words must not be lost with it.
    if (first?.staging.confirmed && first.part.bytes + bytes <= first.staging.size) {
      first.wordBytes = bytes;
      this.#takeWords(first.staging, first.part.bytes, bytes);
      return null;
    }
    const staging = this.staging.acquire(bytes);
    this.#takeWords(staging, 0, bytes);
    if (first) this.stream.flush();
    return () => this.staging.read(staging, bytes, (mapped) => mapped.slice(0, bytes));
  }

  #takeWords(staging: DeviceBuffer, at: number, bytes: number): void {
    const { buffer } = this.faults;
    this.stream.copy(buffer, 0, staging, at, bytes);
    this.stream.clear(buffer, 0, bytes);
  }

  #copy({ part, staging }: Copy): void {
    for (const { request, begin, bytes, at } of part.pieces) {
      const { buffer, offset } = request.range;
      // A buffer without memory has no bytes to copy.
      if (buffer.failure) continue;
      this.stream.copy(buffer, offset + begin, staging, at, bytes);
      this.journal.copied(buffer, request.values, begin === 0);
    }
  }

  /** Gives the values to their requests once they are mapped. The staging memory is then used for waiting parts. */
  #read(
    { part, staging, wordBytes }: Copy,
    settled: Promise<readonly RetrogradError[]>,
    keepWords: (words: ArrayBuffer) => void,
  ): void {
    const take = (mapped: ArrayBuffer) => {
      for (const piece of part.pieces) give(piece, mapped);
      if (wordBytes > 0) keepWords(mapped.slice(part.bytes, part.bytes + wordBytes));
    };
    const reading = this.staging.read(staging, part.bytes + wordBytes, take).finally(() => {
      this.#bytesInUse -= staging.size;
      if (this.#waiting.length > 0) this.#continue();
    });
    part.settle(reading.then(() => settled));
  }
}

function deferred<T>(): Deferred<T> {
  let settle: Deferred<T>['settle'] = () => {};
  const done = new Promise<T>((resolve) => {
    settle = resolve;
  });
  // A part may fail before its requests wait for it.
  done.catch(() => {});
  return { done, settle };
}

/** Distributes the values of `requests` over staging buffers. Only values that are larger than one are divided. */
function partsOf(requests: readonly Request[]): Part[] {
  const parts: Part[] = [];
  for (const request of requests) {
    const total = wholeWords(request.range.bytes);
    for (let begin = 0; begin < total; begin += maxPartBytes) {
      const bytes = Math.min(maxPartBytes, total - begin);
      let part = parts.at(-1);
      if (!part || part.bytes + bytes > maxPartBytes) {
        part = { pieces: [], bytes: 0, ...deferred() };
        parts.push(part);
      }
      part.pieces.push({ request, begin, bytes, at: part.bytes });
      part.bytes += bytes;
      request.parts = [...request.parts, part];
    }
  }
  return parts;
}

function give({ request, begin, bytes, at }: Piece, mapped: ArrayBuffer): void {
  const total = wholeWords(request.range.bytes);
  if (bytes === total) {
    request.bytes = mapped.slice(at, at + bytes);
    return;
  }
  request.bytes ??= new ArrayBuffer(total);
  new Uint8Array(request.bytes, begin).set(new Uint8Array(mapped, at, bytes));
}
