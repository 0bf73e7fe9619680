/**
 * @file Uploads the values of a file to the device, a piece at a time, so that the host never holds more than a few pieces.
 */
import { bytesPerElement } from '../../core/dtype.ts';
import type { NarrowFloat } from '../../core/packedWeights.ts';
import { Pacer } from '../../core/pacer.ts';
import { sizeOf, stridesOf } from '../../core/shape.ts';
import type { HostArray } from '../../formats/numbers.ts';
import { ReadMemory } from '../../formats/readMemory.ts';
import type { Layout, StoredTensor } from '../../formats/storedTensor.ts';
import { copyInto, denseLayout } from '../../kernels/copies/copy.ts';
import type { Device } from '../../webgpu/device.ts';
import { makeTensor, type Tensor } from '../../tensor/tensor.ts';
import { encodeValues } from '../../tensor/encodeValues.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { LoadProgress } from './fileOptions.ts';
import type { StoredWeight } from './storedWeights.ts';

export interface TransferOptions {
  /** The file's name, for histories. */
  readonly file: string;
  /** Aborts the transfer. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes that have arrived, and the total. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** A weight with values that are NaN or infinite, and how many. */
export interface NotFinite {
  readonly weight: string;
  readonly notFinite: number;
}

/** Elements of a piece. */
const pieceElements = 1 << 19;
/** Bytes in flight before the host waits for the device. */
const maxPending = 8 << 20;

/** Reads the tensors of one file, and writes them to the device. */
export class Transfer {
  #loaded: number;
  #pending = 0;
  readonly #memory = new ReadMemory();
  readonly #pacer: Pacer;
  readonly #total: number;
  /** This reading's share of the progress. */
  readonly #share: number;

  /** `readings` is how often each tensor is read, for the progress; `reading` is the index of this one. */
  constructor(
    stored: readonly StoredTensor[],
    private readonly options: TransferOptions,
    { readings = 1, reading = 0 } = {},
  ) {
    this.#pacer = new Pacer(options.signal);
    this.#total = totalBytes(stored);
    this.#share = 1 / readings;
    this.#loaded = reading * this.#share * this.#total;
  }

  /** Writes the values of `stored` into `into`, whose storage may be written. Returns how many are not finite. */
  async write(stored: StoredTensor, into: Tensor): Promise<number> {
    return this.#read(stored, (values, begin) => {
      const encoded = encodeValues('load', values, stored.dtype, [values.length], false);
      copyPiece(encoded, stored, begin, into);
      return this.#settle(into.device, encoded.byteLength);
    });
  }

  /** Reads and decodes all values. Returns how many are not finite. */
  async check(stored: StoredTensor): Promise<number> {
    return this.#read(stored, (values) => {
      encodeValues('load', values, stored.dtype, [values.length], false);
    });
  }

  /** Returns a tensor with the values of `stored`, outside of all scopes. */
  async upload(stored: StoredTensor, device: Device): Promise<{ tensor: Tensor; notFinite: number }> {
    const { shape, dtype } = stored;
    const storage = device.allocate(Math.max(4, bytesOf(stored)), stored.place);
    const made = makeTensor(device, storage, { shape: [...shape], dtype }, this.origin);
    try {
      return { tensor: made, notFinite: await this.write(stored, made) };
    } catch (error) {
      made.dispose();
      throw error;
    }
  }

  get origin() {
    return { kind: 'loaded', from: `'${this.options.file}'` } as const;
  }

  /** Returns how many values are not finite. */
  async #read(
    stored: StoredTensor,
    use: (values: HostArray, begin: number) => Promise<void> | void,
  ): Promise<number> {
    const { signal, onProgress } = this.options;
    const count = sizeOf(stored.shape);
    const step = pieceOf(stored);
    let notFinite = 0;
    for (let begin = 0; begin < count; begin += step) {
      signal?.throwIfAborted();
      const values = await stored.read(begin, Math.min(count, begin + step), this.#memory);
      notFinite += countNotFinite(stored, values);
      this.#loaded += values.length * 4 * this.#share;
      await use(values, begin);
      onProgress?.({ loaded: Math.round(this.#loaded), total: this.#total });
      // Reads from memory, or from what is cached, don't wait for another task.
      const wait = this.#pacer.step();
      if (wait) await wait;
    }
    signal?.throwIfAborted();
    return notFinite;
  }

  /** Waits if too much is in flight, so that pieces don't pile up. */
  async #settle(device: Device, bytes: number): Promise<void> {
    this.#pending += bytes;
    if (this.#pending < maxPending) return;
    this.#pending = 0;
    await device.submittedWorkDone();
  }
}

/** Returns the number of elements of a piece: whole rows, if they are reordered. */
function pieceOf({ layout }: StoredTensor): number {
  if (!layout) return pieceElements;
  const row = sizeOf(layout.from.slice(1));
  return row * Math.max(1, Math.floor(pieceElements / row));
}

/** Copies stored values, starting with number `begin`, to their positions in `into`. */
function copyPiece(
  values: ArrayBufferView<ArrayBuffer> & { readonly length: number },
  { layout, dtype }: StoredTensor,
  begin: number,
  into: Tensor,
): void {
  if (values.byteLength === 0) return;
  const { device } = into;
  const piece = device.upload(values, 'load');
  if (layout) {
    const rows = values.length / sizeOf(layout.from.slice(1));
    const shape = [rows, ...layout.from.slice(1)];
    const strides = stridesInto(layout);
    const offset = (begin / sizeOf(layout.from.slice(1))) * (strides[0] as number);
    const block = makeTensor(device, piece, { shape, dtype }, { kind: 'fresh', by: 'load' });
    copyInto(block, denseLayout(shape), into, { offset, strides }, shape);
    block.dispose();
  } else {
    const { buffer, offset } = into.storage;
    device.copy(piece, { buffer, offset: offset + begin * 4, bytes: values.byteLength }, values.byteLength);
    piece.release();
  }
  device.flush();
}

/** For each axis of the stored tensor, the step along it in the final one. */
function stridesInto({ from, perm }: Layout): number[] {
  const strides = stridesOf(perm.map((axis) => from[axis] as number));
  return from.map((_, axis) => strides[perm.indexOf(axis)] as number);
}

/** Writes the values of a file into new weights, without a second copy. After an error they are partly written. */
export async function fillStored(
  weights: readonly StoredWeight[],
  options: TransferOptions,
): Promise<NotFinite[]> {
  const transfer = new Transfer(storedOf(weights), options);
  return gather(weights, ({ variable, stored }) => fill(transfer, variable, stored));
}

/** Writes the values of `stored` into the memory that `variable` has. Returns how many are not finite. */
export async function fill(transfer: Transfer, variable: Variable, stored: StoredTensor): Promise<number> {
  variable.writableStorage();
  const notFinite = await transfer.write(stored, variable);
  variable.origin = transfer.origin;
  return notFinite;
}

/** Returns the results of `count` for each weight, one after another. */
export async function gather(
  weights: readonly StoredWeight[],
  count: (weight: StoredWeight) => Promise<number>,
): Promise<NotFinite[]> {
  const found: NotFinite[] = [];
  for (const weight of weights) {
    const notFinite = await count(weight);
    if (notFinite > 0) found.push({ weight: weight.path, notFinite });
  }
  return found;
}

export function storedOf(weights: readonly StoredWeight[]): StoredTensor[] {
  return weights.map(({ stored }) => stored);
}

/** Bytes on the device. */
export function totalBytes(stored: readonly StoredTensor[]): number {
  return stored.reduce((sum, tensor) => sum + bytesOf(tensor), 0);
}

/** Bytes on the device. */
function bytesOf({ shape, dtype }: StoredTensor): number {
  return shape.reduce((size, n) => size * n, bytesPerElement(dtype));
}

function countNotFinite({ dtype, pairsOf }: StoredTensor, values: HostArray): number {
  if (pairsOf) return countNotFiniteBits(values, exponents[pairsOf]);
  if (dtype !== 'float32') return 0;
  let count = 0;
  for (const value of values) if (!Number.isFinite(value)) count++;
  return count;
}

/** The bits of the exponents of floats, which are all 1 in NaN and infinite ones. */
const exponents: Readonly<Record<NarrowFloat, number>> = { float16: 0x7c00, bfloat16: 0x7f80 };

function countNotFiniteBits(words: HostArray, exponent: number): number {
  let count = 0;
  for (const word of words) {
    if ((word & exponent) === exponent) count++;
    if (((word >>> 16) & exponent) === exponent) count++;
  }
  return count;
}
