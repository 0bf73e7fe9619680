/**
 * @file Tracks a file while it is written: reports progress in bytes of values, and between pieces checks an AbortSignal and lets other
 * tasks run.
 */
import { Pacer } from '../../core/pacer.ts';
import { inTurns, type Pieces } from '../../core/pieces.ts';
import { sizeOf } from '../../core/shape.ts';
import { bytesOf, type NewDataset, type NewGroup } from '../../formats/hdf5/index.ts';
import type { FilePieces } from '../../storage/fileTarget.ts';
import type { SaveOptions } from './fileOptions.ts';
import { HeldState } from './heldState.ts';
import type { HeldParts } from './holdState.ts';

type DatasetPieces = ReturnType<NewDataset['pieces']>;

/** The maximum number of bytes written at a time, so that progress and aborting don't wait for large tensors. */
const pieceBytes = 8 << 20;

/** Counts the bytes of one file. */
export class SavedBytes {
  #saved = 0;
  #total = 0;

  readonly pacer: Pacer;

  readonly #held: HeldState | null;

  /** `held` is the state of the model that is saved; null for the present one. */
  constructor(
    private readonly options: Pick<SaveOptions, 'signal' | 'onProgress'>,
    held: HeldParts | null,
  ) {
    this.pacer = new Pacer(options.signal);
    this.#held = held && new HeldState(held);
  }

  /** Runs `body`, which begins to read the values of the model. */
  during<T>(body: () => T): T {
    return this.#held ? this.#held.during(body) : body();
  }

  /** Does work on the model in pieces. */
  inTurns<T>(work: Pieces<T>): Promise<T> {
    return inTurns(work, this.pacer, (piece) => this.during(piece));
  }

  /** The same tree, whose values are counted as they are written. */
  countedIn({ attributes, children }: NewGroup): NewGroup {
    const counted = [...children].map(
      ([name, child]) => [name, 'children' in child ? this.countedIn(child) : this.#dataset(child)] as const,
    );
    return { attributes, children: new Map(counted) };
  }

  /** A whole file in pieces, counted as values. */
  counted(bytes: Uint8Array<ArrayBuffer>): FilePieces {
    this.#total += bytes.length;
    return this.#count([bytes]);
  }

  /** Throws if the signal aborts, even after the last piece: the target then keeps an older file. */
  async *interruptible(pieces: FilePieces): FilePieces {
    const { signal } = this.options;
    for await (const piece of pieces) {
      const wait = this.pacer.step();
      if (wait) await wait;
      yield piece;
    }
    signal?.throwIfAborted();
  }

  #dataset(dataset: NewDataset): NewDataset {
    const { type, shape } = dataset;
    this.#total += sizeOf(shape) * bytesOf(type);
    return { ...dataset, pieces: () => this.#count(dataset.pieces()) };
  }

  async *#count(pieces: DatasetPieces): FilePieces {
    for await (const piece of pieces) {
      for (let begin = 0; begin < piece.length; begin += pieceBytes) {
        const part = piece.subarray(begin, begin + pieceBytes);
        yield part;
        // When the target asks for the next piece, it has written this one.
        this.#saved += part.length;
        this.options.onProgress?.({ saved: this.#saved, total: this.#total });
      }
    }
  }
}
