/**
 * @file The weights of Keras's older HDF5 files: a group for each layer, in the order of the layers, with the names of its
 * weights in an attribute.
 */
import { Pacer } from '../../core/pacer.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import type { Hdf5Group } from '../hdf5/index.ts';
import type { StoredTensor } from '../storedTensor.ts';

export interface NamedTensor {
  /** The weight's name, such as `dense/kernel`, without the `:0` that TensorFlow adds. */
  readonly name: string;
  readonly tensor: StoredTensor;
}

export interface LegacyLayer {
  readonly name: string;
  readonly weights: readonly NamedTensor[];
}

/**
 * Returns the layers of a group of weights, including those without weights. Errors: FormatError, and the reason of the pacer's signal.
 */
export async function readLegacyLayers(
  group: Hdf5Group,
  context: FileContext,
  pacer = new Pacer(),
): Promise<LegacyLayer[]> {
  const names = await namesOf(group, 'layer_names', context);
  const layers: LegacyLayer[] = [];
  for (const name of names) {
    const layer = await group.descend(name);
    if (!layer) throw missing(context, group, name);
    layers.push({ name, weights: await readNamedTensors(layer, context) });
    // Reads from memory don't wait for another task.
    await pacer.step();
  }
  return layers;
}

/** Returns the weights that a group lists. Errors: FormatError. */
export async function readNamedTensors(group: Hdf5Group, context: FileContext): Promise<NamedTensor[]> {
  const weights: NamedTensor[] = [];
  for (const name of await namesOf(group, 'weight_names', context)) {
    const slash = name.lastIndexOf('/');
    const owner = await group.descend(name.slice(0, Math.max(0, slash)));
    const dataset = await owner?.dataset(name.slice(slash + 1));
    if (!dataset) throw missing(context, group, name);
    weights.push({ name: name.replace(/:0$/, ''), tensor: await dataset.tensor() });
  }
  return weights;
}

/** Keras splits a list that is too long for one attribute into `name0`, `name1`, … */
async function namesOf(group: Hdf5Group, name: string, context: FileContext): Promise<string[]> {
  const whole = await group.attribute(name);
  if (whole) return requireText(whole, group, name, context);
  const names: string[] = [];
  for (let part = 0; ; part++) {
    const found = await group.attribute(`${name}${part}`);
    if (found) names.push(...requireText(found, group, name, context));
    else if (part > 0) return names;
    else
      throw fault(context, {
        place: group.place,
        rule: `the group has an attribute '${name}'.`,
        received: 'none',
      });
  }
}

function requireText(
  values: readonly (string | number)[],
  group: Hdf5Group,
  name: string,
  context: FileContext,
): string[] {
  // An empty list has no type: h5py writes it as numbers.
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === values.length) return texts;
  throw fault(context, { place: group.place, rule: `'${name}' is a list of names.`, received: 'numbers' });
}

function missing(context: FileContext, group: Hdf5Group, name: string): Error {
  return fault(context, {
    place: group.place,
    rule: 'everything that the file lists is in it.',
    received: `nothing called '${name}'`,
  });
}
