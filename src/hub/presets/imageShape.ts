/** @file Shapes of images in KerasHub's configurations. */
import type { ConfigReader } from '../checkpoints/configReader.ts';

/** Height, width and channels. */
export function readImageShape(config: ConfigReader): readonly number[] {
  const given = config.field('image_shape');
  const isSize = (size: unknown) => Number.isSafeInteger(size) && (size as number) > 0;
  if (Array.isArray(given) && given.length === 3 && given.every(isSize)) return given as number[];
  config.refuse('image_shape', 'is [height, width, channels]');
  return [1, 1, 1];
}
