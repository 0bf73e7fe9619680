/**
 * @file Allocates memory for the weights of a model that is read from a file: no more than the file has values for, and
 * without initial values, which would be replaced.
 */
import { bytesPerElement } from '../../core/dtype.ts';
import { FormatError } from '../../core/errors.ts';
import { checkShape, sizeOf } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { getDevice } from '../../webgpu/current.ts';
import { makeTensor } from '../../tensor/tensor.ts';
import { type FirstValue, withFirstValues } from '../layers/base/layerWeights.ts';

/**
 * Returns a function that runs a part of the creation of a model, in which weights are created without values. All parts together
 * create at most as many elements as `stored` has. Errors: FormatError for a model that is larger.
 */
export function withinStored(file: string, stored: Iterable<StoredTensor>): <T>(body: () => T) => T {
  let elements = 0;
  for (const { shape } of stored) elements += sizeOf(shape);
  let left = elements;
  let leftBesides = mostBesides(elements);
  const first: FirstValue = (name, shape, dtype, isInFile) => {
    checkShape(name, shape);
    if (isInFile) left -= sizeOf(shape);
    else leftBesides -= sizeOf(shape);
    if (!(left >= 0 && leftBesides >= 0))
      throw tooLarge(file, elements, `'${name}' of ${formatSpec({ shape, dtype })}`);
    if (!isInFile) return null;
    const device = getDevice();
    const bytes = Math.max(4, sizeOf(shape) * bytesPerElement(dtype));
    const spec = { shape: [...shape], dtype };
    return makeTensor(device, device.allocate(bytes, name), spec, { kind: 'fresh', by: 'load' });
  };
  return (body) => withFirstValues(first, body);
}

/** The number of elements of adapters, which files don't have: far more than adapters are useful with. */
function mostBesides(elements: number): number {
  return 2 ** 20 + 4 * elements;
}

function tooLarge(file: string, elements: number, received: string): FormatError {
  return new FormatError({
    op: `loadModel ${file}`,
    rule: `the weights of the model are in the file, which has ${elements} values.`,
    received: `more of them, with ${received}`,
    hint: 'the configuration and the weights are of different models: save the model again.',
  });
}
