/** @file Opens files of named tensors: safetensors, and PyTorch's archives and older files. */
import type { ByteSource } from '../../formats/byteSource.ts';
import { type Container, torchRoot } from '../../formats/detect.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { ZipArchive } from '../../formats/zip/index.ts';
import type { LoadWeightsOptions } from './fileOptions.ts';

/** Opens a file that is an archive; null for others. Errors: FormatError for a damaged archive, or one beyond the limits. */
export async function openArchive(
  source: ByteSource,
  container: Container,
  { limits }: LoadWeightsOptions,
): Promise<ZipArchive | null> {
  if (container !== 'zip') return null;
  const { ZipArchive } = await import('../../formats/zip/index.ts');
  return ZipArchive.open(source, limits);
}

/** The tensors of a file in their order; null for a file of another kind. Errors: FormatError for a damaged file. */
export async function openNamedTensors(
  source: ByteSource,
  container: Container,
  archive: ZipArchive | null,
): Promise<ReadonlyMap<string, StoredTensor> | null> {
  if (container === 'safetensors') {
    const { openSafetensors } = await import('../../formats/safetensors/open.ts');
    return (await openSafetensors(source)).tensors;
  }
  if (container === 'legacyTorch') {
    const { openLegacyTorch } = await import('../../formats/pytorch/index.ts');
    return openLegacyTorch(source);
  }
  const root = archive && torchRoot(archive.names);
  if (root === null) return null;
  const { openTorchArchive } = await import('../../formats/pytorch/index.ts');
  return openTorchArchive(archive as ZipArchive, root);
}
