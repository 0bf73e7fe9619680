/** @file Recognizes files that may hold weights, whatever their names, and says what others are. */
import { FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { type Container, detectContainer } from '../../formats/detect.ts';

/** Returns the container of a file that can hold weights. Errors: FormatError for others. */
export async function requireContainer(source: ByteSource): Promise<Container> {
  const container = await detectContainer(source);
  if (container !== null) return container;
  const { recognizeOther } = await import('../../formats/otherFiles.ts');
  const { what, hint } = (await recognizeOther(source)) ?? {
    what: source.size === 0 ? 'an empty file' : 'bytes of no format that is known',
    hint: 'pass a file that Keras, PyTorch or this library saved; it may be cut short.',
  };
  throw new FormatError({
    op: source.name,
    rule: 'a file of weights is .keras, .weights.h5, .h5, .safetensors, .pt, .pth, a model.json of TF.js, or an index of shards.',
    received: what,
    hint,
  });
}
