/** @file loadImageConverter: reads how a pretrained network takes pictures, from `preprocessor_config.json`. */
import { checkOptions } from '../../core/options.ts';
import { perAxis } from '../../core/windows.ts';
import { isObject, type Json } from '../../keras/json/document.ts';
import type { Interpolation } from '../../ops/images/resizeImages.ts';
import type { ConfigReader } from '../checkpoints/configReader.ts';
import type { PretrainedSource } from '../checkpoints/folder.ts';
import { type ImageConversion, type ImageConverter, imageConverterOf, type Size } from './imageConverter.ts';
import { type LoadOptions, readPreprocessor } from './preprocessorConfig.ts';

/** Options of `loadImageConverter`. */
export interface LoadImageConverterOptions extends LoadOptions {
  /** Height and width of what pictures become, as for `fromPretrained`. Default: those of the file. */
  readonly imageSize?: number | readonly [number, number] | undefined;
}

/** Pillow's filters, by their numbers; others aren't used by vision transformers. */
const filters: Readonly<Record<number, Interpolation>> = { 1: 'lanczos3', 2: 'bilinear', 3: 'bicubic' };

/** What files leave out. */
const ofViT = { resample: 2, mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };
const ofCLIP = {
  resample: 3,
  mean: [0.48145466, 0.4578275, 0.40821073],
  std: [0.26862954, 0.26130258, 0.27577711],
};

/**
 * Loads how a pretrained network takes pictures, from `preprocessor_config.json` or `processor_config.json`: their size, the part that is
 * kept, and the range of their values. The converter takes whatever a page can draw, RGBA bytes, or tensors, and one picture or several:
 *
 *     const convert = await loadImageConverter('models/vit');
 *     const logits = net.apply(convert(await createImageBitmap(file)));
 *
 * Values of resized pictures are rounded to bytes, as those were that the network was trained on.
 * Errors: FormatError for a file that is missing or damaged, or asks for something that isn't supported; ValueError for invalid options.
 */
export async function loadImageConverter(
  source: PretrainedSource,
  options: LoadImageConverterOptions = {},
): Promise<ImageConverter> {
  const op = 'loadImageConverter';
  checkOptions(op, options, ['signal', 'imageSize']);
  const { imageSize, ...others } = options;
  const size = imageSize === undefined ? null : perAxis(op, 'imageSize', imageSize, 2);
  const conversion = await readPreprocessor(op, source, others, 'image_processor', conversionOf);
  return imageConverterOf(size ? { ...conversion, ...resizedTo(size, conversion) } : conversion);
}

/** Pictures are cut where they are for the size of the file. */
function resizedTo(size: Size, { resize, crop }: ImageConversion): Pick<ImageConversion, 'resize' | 'crop'> {
  const { interpolation = 'bilinear' } = resize ?? {};
  return { resize: { size: crop ? Math.max(...size) : size, interpolation }, crop: crop && size };
}

function conversionOf(config: ConfigReader): ImageConversion {
  const type = config.field('image_processor_type') ?? config.field('feature_extractor_type');
  config.leave('feature_extractor_type', 'processor_class', 'do_convert_rgb', 'default_to_square');
  config.leave('data_format', 'input_data_format', 'return_tensors', 'device', 'disable_grouping');
  config.requireValue('do_pad', false);
  const isCLIP = typeof type === 'string' && type.startsWith('CLIP');
  // CLIP's files of old give the shorter side as a number, others that of a square.
  const size = sizeIn(config, 'size', isCLIP);
  const crop = sizeIn(config, 'crop_size', false);
  const usual = isCLIP ? ofCLIP : ofViT;
  const resample = config.field('resample') ?? usual.resample;
  if (!Object.hasOwn(filters, String(resample)))
    config.refuse('resample', 'is 1 (Lanczos), 2 (bilinear) or 3 (bicubic)');
  const interpolation = filters[resample as number] as Interpolation;
  const mean = channels(config, 'image_mean', usual.mean);
  const std = channels(config, 'image_std', usual.std);
  const scale = config.number('rescale_factor', 1 / 255);
  return {
    resize: config.boolean('do_resize', true) && size !== null ? { size, interpolation } : null,
    crop: config.boolean('do_center_crop', isCLIP) && typeof crop === 'object' ? crop : null,
    scale: config.boolean('do_rescale', true) ? scale : null,
    normalize: config.boolean('do_normalize', true) ? { mean, std } : null,
  };
}

/** Pixels along a side: far more than networks take. */
const maxLength = 2 ** 14;

/** A number, { shortest_edge }, or { height, width }; null if there is none. */
function sizeIn(config: ConfigReader, name: string, keepsProportions: boolean): Size | number | null {
  const given = config.field(name);
  const isLength = (value: Json | undefined): value is number =>
    Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= maxLength;
  if (given === null) return null;
  if (isLength(given)) return keepsProportions ? given : [given, given];
  if (isObject(given)) {
    const { height, width, shortest_edge: shortest, longest_edge: longest } = given;
    if (isLength(height) && isLength(width)) return [height, width];
    if (isLength(shortest) && !longest) return shortest;
  }
  config.refuse(
    name,
    `is { "height", "width" } or { "shortest_edge" }, or a length, of at most ${maxLength}`,
  );
  return null;
}

/** A number for each of three channels. */
function channels(config: ConfigReader, name: string, usual: readonly number[]): readonly number[] {
  const given = config.field(name) ?? (usual as readonly Json[]);
  const isRight =
    Array.isArray(given) &&
    given.length === 3 &&
    given.every((value) => Number.isFinite(Math.fround(value as number)));
  if (!isRight || (name === 'image_std' && (given as readonly number[]).map(Math.fround).includes(0)))
    config.refuse(name, 'has a number for red, green and blue, for deviations other than 0');
  return given as readonly number[];
}
