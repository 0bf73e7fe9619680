/**
 * @file A reader of safetensors files for the conformance cases, independent of the library's own: expected values
 * must not pass through the code under test. Format: https://huggingface.co/docs/safetensors.
 */
import type { DType } from 'retrograd';

/** A tensor on the host. `dtype` is the library's name of the stored type. */
export interface HostTensor {
  shape: readonly number[];
  dtype: DType;
  data: Float32Array | Int32Array | Uint32Array | Uint8Array;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** Stored type -> how it is read. Bools are stored as bytes. */
const views: Record<string, (bytes: ArrayBuffer) => Pick<HostTensor, 'dtype' | 'data'>> = {
  F32: (bytes) => ({ dtype: 'float32', data: new Float32Array(bytes) }),
  I32: (bytes) => ({ dtype: 'int32', data: new Int32Array(bytes) }),
  U32: (bytes) => ({ dtype: 'uint32', data: new Uint32Array(bytes) }),
  U8: (bytes) => ({ dtype: 'bool', data: new Uint8Array(bytes) }),
  BOOL: (bytes) => ({ dtype: 'bool', data: new Uint8Array(bytes) }),
};

/** All tensors of a file, by name. */
export function readSafetensors(file: ArrayBuffer): Map<string, HostTensor> {
  const headerBytes = Number(new DataView(file).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, headerBytes)));
  const start = 8 + headerBytes;
  const tensors = new Map<string, HostTensor>();
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const {
      dtype,
      shape,
      data_offsets: [from, to],
    } = value as Entry;
    const view = views[dtype];
    if (!view)
      throw new Error(`${name}: a case's tensor is one of ${Object.keys(views)}. Received: ${dtype}.`);
    const tensor = { shape, ...view(file.slice(start + from, start + to)) };
    const size = shape.reduce((product, n) => product * n, 1);
    if (tensor.data.length !== size)
      throw new Error(`${name}: ${tensor.data.length} values for shape [${shape}].`);
    tensors.set(name, tensor);
  }
  return tensors;
}
