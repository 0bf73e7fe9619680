/**
 * @file Brings the values of a file to the device, a piece at a time, so that the host never holds more than a few pieces.
 */
import { bytesPerElement } from '../../core/dtype.ts';
import type { HostArray } from '../../formats/numbers.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Storage } from '../../webgpu/storage.ts';
import { makeTensor, type Tensor } from '../../tensor/tensor.ts';
import { encodeValues } from '../../tensor/encodeValues.ts';
import { type Assignment, assignAll } from '../../tensor/assignAll.ts';
import type { LoadProgress } from '../models/fileOptions.ts';
import type { StoredWeight } from './storedWeights.ts';

export interface TransferOptions {
  /** The file's name, for histories. */
  readonly file: string;
  /** Aborts the transfer. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes that have arrived and their total, where it is known. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** A weight with values that are NaN or infinite, and how many. */
export interface NotFinite {
  readonly weight: string;
  readonly notFinite: number;
}

/** Elements of a piece. */
const pieceElements = 1 << 21;
/** Bytes under way before the device is waited for. */
const maxPending = 64 << 20;

/** Transfers the tensors of one file. */
export class Transfer {
  #loaded = 0;
  #pending = 0;
  readonly #total: number;

  constructor(
    stored: readonly StoredTensor[],
    private readonly options: TransferOptions,
  ) {
    this.#total = stored.reduce((sum, tensor) => sum + bytesOf(tensor), 0);
  }

  /** Writes the values of `stored` into `storage`. Returns how many are not finite. */
  async write(stored: StoredTensor, device: Device, storage: Storage): Promise<number> {
    const { signal, onProgress } = this.options;
    const count = bytesOf(stored) / 4;
    let notFinite = 0;
    for (let begin = 0; begin < count; begin += pieceElements) {
      signal?.throwIfAborted();
      const values = await stored.read(begin, Math.min(count, begin + pieceElements));
      notFinite += countNotFinite(stored, values);
      this.#copy(
        device,
        storage,
        begin * 4,
        encodeValues('load', values, stored.dtype, [values.length], false),
      );
      this.#loaded += values.length * 4;
      onProgress?.({ loaded: this.#loaded, total: this.#total });
      await this.#settle(device, values.length * 4);
    }
    return notFinite;
  }

  /** A tensor with the values of `stored`, outside of all scopes. */
  async upload(stored: StoredTensor, device: Device): Promise<{ tensor: Tensor; notFinite: number }> {
    const storage = device.allocate(Math.max(4, bytesOf(stored)), stored.place);
    try {
      const notFinite = await this.write(stored, device, storage);
      const { shape, dtype } = stored;
      return { tensor: makeTensor(device, storage, { shape: [...shape], dtype }, this.origin), notFinite };
    } catch (error) {
      storage.release();
      throw error;
    }
  }

  get origin() {
    return { kind: 'loaded', from: `'${this.options.file}'` } as const;
  }

  #copy(device: Device, { buffer }: Storage, offset: number, values: ArrayBufferView<ArrayBuffer>): void {
    if (values.byteLength === 0) return;
    const piece = device.upload(values, 'load');
    device.copy(piece, { buffer, offset, bytes: values.byteLength }, values.byteLength);
    piece.release();
    device.flush();
  }

  /** Waits where much is under way, so that pieces don't pile up in front of the device. */
  async #settle(device: Device, bytes: number): Promise<void> {
    this.#pending += bytes;
    if (this.#pending < maxPending) return;
    this.#pending = 0;
    await device.gpu.queue.onSubmittedWorkDone();
  }
}

/** Gives all weights the values of a file, or throws and changes none. */
export async function assignStored(
  weights: readonly StoredWeight[],
  options: TransferOptions,
): Promise<NotFinite[]> {
  const transfer = new Transfer(storedOf(weights), options);
  const found: NotFinite[] = [];
  const assignments: Assignment[] = [];
  try {
    for (const { path, variable, stored } of weights) {
      const { tensor, notFinite } = await transfer.upload(stored, variable.device);
      assignments.push([variable, tensor]);
      if (notFinite > 0) found.push({ weight: path, notFinite });
    }
    assignAll(assignments);
  } finally {
    for (const [, tensor] of assignments) tensor.dispose();
  }
  return found;
}

/** Writes the values of a file into new weights, which take no second copy. After an error they are half written. */
export async function fillStored(
  weights: readonly StoredWeight[],
  options: TransferOptions,
): Promise<NotFinite[]> {
  const transfer = new Transfer(storedOf(weights), options);
  const found: NotFinite[] = [];
  for (const { path, variable, stored } of weights) {
    const notFinite = await transfer.write(stored, variable.device, variable.writableStorage());
    variable.origin = transfer.origin;
    if (notFinite > 0) found.push({ weight: path, notFinite });
  }
  return found;
}

function storedOf(weights: readonly StoredWeight[]): StoredTensor[] {
  return weights.map(({ stored }) => stored);
}

/** Bytes on the device. */
function bytesOf({ shape, dtype }: StoredTensor): number {
  return shape.reduce((size, n) => size * n, bytesPerElement(dtype));
}

function countNotFinite({ dtype }: StoredTensor, values: HostArray): number {
  if (dtype !== 'float32') return 0;
  let count = 0;
  for (const value of values) if (!Number.isFinite(value)) count++;
  return count;
}
