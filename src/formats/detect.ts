/** @file Recognizes a file's format by its first bytes, whatever its name is. */
import type { ByteSource } from './byteSource.ts';
import { hdf5Signature, legacyTorchSignature, torchPickleName, zipSignatures } from './signatures.ts';

/** Containers: a zip archive may be of Keras or of PyTorch, HDF5 a model or its weights. */
export type Container = 'zip' | 'hdf5' | 'safetensors' | 'legacyTorch' | 'json';

/** The format of a file; null for none that is known. */
export async function detectContainer(source: ByteSource): Promise<Container | null> {
  const bytes = await source.read(0, Math.min(source.size, 16));
  const startsWith = (signature: readonly number[]) => signature.every((byte, i) => bytes[i] === byte);
  if (startsWith(hdf5Signature)) return 'hdf5';
  if (zipSignatures.some(startsWith)) return 'zip';
  if (startsWith(legacyTorchSignature)) return 'legacyTorch';
  // A safetensors file starts with the length of its header, which is JSON.
  if (bytes[8] === 0x7b && bytes.length > 8) return 'safetensors';
  const text = new TextDecoder().decode(bytes).trimStart();
  return text.startsWith('{') ? 'json' : null;
}

/** The folder of a zip archive that files of PyTorch are in, with its slash; null where the archive isn't one of PyTorch. */
export function torchRoot(names: readonly string[]): string | null {
  const name = names.find((name) => name === torchPickleName || name.endsWith(`/${torchPickleName}`));
  return name === undefined ? null : name.slice(0, -torchPickleName.length);
}
