/** @file Sizes of images in configurations: a number, or height and width. */
import type { Json } from '../../keras/json/document.ts';
import type { ConfigReader } from './configReader.ts';

/** Height and width, which a configuration may give as one number. */
export function readSize(config: ConfigReader, name: string, fallback: number): [number, number] {
  const given = config.field(name) ?? fallback;
  const sizes = Array.isArray(given) ? given : [given, given];
  const isSize = (size: Json) => Number.isSafeInteger(size) && (size as number) > 0;
  if (sizes.length !== 2 || !sizes.every(isSize)) config.refuse(name, 'is a positive integer, or two');
  return sizes as [number, number];
}

/** The field that says the same. */
export function writeSize([height, width]: readonly number[]): Json {
  return (height === width ? height : [height, width]) as Json;
}
