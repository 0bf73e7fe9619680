/** @file Recognizes a file's format by its first bytes, independent of its name. */
import type { ByteSource } from './byteSource.ts';
import { hdf5Signature, legacyTorchSignature, torchPickleName, zipSignatures } from './signatures.ts';

/** Containers: a zip archive may come from Keras or PyTorch, an HDF5 file may hold a model or only weights. */
export type Container = 'zip' | 'hdf5' | 'safetensors' | 'legacyTorch' | 'json';

/** Smaller user blocks aren't allowed. */
const minUserBlock = 512;

/**
 * Returns where the HDF5 data in a file begins: at its start, or after a user block, whose size is a power of two. Null for
 * other files.
 */
export async function findHdf5(source: ByteSource): Promise<number | null> {
  const { length } = hdf5Signature;
  for (let at = 0; at + length <= source.size; at = at === 0 ? minUserBlock : 2 * at) {
    const bytes = await source.read(at, at + length);
    if (hdf5Signature.every((byte, i) => bytes[i] === byte)) return at;
  }
  return null;
}

/** Returns the format of a file; null for an unknown one. */
export async function detectContainer(source: ByteSource): Promise<Container | null> {
  const bytes = await source.read(0, Math.min(source.size, 16));
  const startsWith = (signature: readonly number[]) => signature.every((byte, i) => bytes[i] === byte);
  if (startsWith(hdf5Signature)) return 'hdf5';
  if (zipSignatures.some(startsWith)) return 'zip';
  if (startsWith(legacyTorchSignature)) return 'legacyTorch';
  const text = new TextDecoder().decode(bytes).trimStart();
  if (text.startsWith('{') && !bytes.includes(0)) return 'json';
  // A safetensors file starts with the length of its header, which is JSON. Lengths have zeros: eight bytes, at most 100 MB.
  if (bytes[8] === 0x7b && bytes.length > 8) return 'safetensors';
  return (await findHdf5(source)) === null ? null : 'hdf5';
}

/** Returns the folder of PyTorch's files in a zip archive, with its slash; null if the archive doesn't come from PyTorch. */
export function torchRoot(names: readonly string[]): string | null {
  const name = names.find((name) => name === torchPickleName || name.endsWith(`/${torchPickleName}`));
  return name === undefined ? null : name.slice(0, -torchPickleName.length);
}
