/** @file Reads state dictionaries of PyTorch. */
import { FormatError } from '../core/errors.ts';
import { checkOptions } from '../core/options.ts';
import { detectContainer, torchRoot } from '../formats/detect.ts';
import type { HostTensor } from '../formats/hostTensor.ts';
import { readWhole, type StoredTensor } from '../formats/storedTensor.ts';
import type { ByteSource } from '../formats/byteSource.ts';
import type { LoadWeightsOptions } from '../keras/saving/fileOptions.ts';
import { type FileSource, openSource } from '../storage/sources.ts';

export type ReadPyTorchOptions = Pick<LoadWeightsOptions, 'file' | 'signal' | 'limits'>;

/**
 * Reads the tensors of a state dictionary of PyTorch (`.pt`, `.pth`), by name, on the host. Its pickle is read as data: nothing
 * that it names is imported or called. Smaller floats are widened to float32, doubles are rounded to it, and 64-bit integers
 * must fit in 32 bits. To load them into a model, call `model.loadWeights`.
 * Errors: UnsafeModelError for a file with more than tensors, FormatError for a damaged one, ValueError if it isn't a file.
 */
export async function readPyTorch(
  given: FileSource,
  options: ReadPyTorchOptions = {},
): Promise<Map<string, HostTensor>> {
  checkOptions('readPyTorch', options, ['file', 'signal', 'limits']);
  const source = await openSource(given, options);
  try {
    const tensors = new Map<string, HostTensor>();
    for (const [name, stored] of await open(source, options)) {
      options.signal?.throwIfAborted();
      tensors.set(name, await readWhole(stored));
    }
    return tensors;
  } finally {
    await source.close?.();
  }
}

async function open(
  source: ByteSource,
  { limits }: ReadPyTorchOptions,
): Promise<ReadonlyMap<string, StoredTensor>> {
  const { openLegacyTorch, openTorchArchive } = await import('../formats/pytorch/index.ts');
  const container = await detectContainer(source);
  if (container === 'legacyTorch') return openLegacyTorch(source);
  if (container !== 'zip') throw noTorch(source, 'bytes of another format');
  const { ZipArchive } = await import('../formats/zip/index.ts');
  const archive = await ZipArchive.open(source, limits);
  const root = torchRoot(archive.names);
  if (root === null) throw noTorch(source, 'a zip archive of something else');
  return openTorchArchive(archive, root);
}

function noTorch({ name }: ByteSource, received: string): FormatError {
  return new FormatError({
    op: name,
    rule: 'a file of PyTorch is what torch.save wrote.',
    received,
    hint: 'pass a .pt or .pth file; readSafetensors reads safetensors.',
  });
}
