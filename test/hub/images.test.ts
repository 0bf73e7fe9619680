/** @file Pictures as the inputs of networks, against transformers' processors, and what is refused of their files. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  concat,
  expandDims,
  FormatError,
  init,
  ShapeError,
  type Tensor,
  ValueError,
  zeros,
} from '../../src/index.ts';
import { loadImageConverter } from '../../src/hub/index.ts';
import { Expected, folderOf } from './checkpoints.ts';

const root = folderOf('images');
const expected = new Expected(path.join(root, 'expected.safetensors'));
const processors = fs.readdirSync(root).filter((name) => fs.statSync(path.join(root, name)).isDirectory());
const configOf = (name: string) =>
  JSON.parse(fs.readFileSync(path.join(root, name, 'preprocessor_config.json'), 'utf8'));

beforeAll(async () => {
  await init();
});

/** A picture as RGBA bytes. */
function bytesOf(name: string) {
  const values = expected.values(`picture.${name}`);
  const [height, width] = expected.tensor(`picture.${name}`).shape as [number, number];
  const data = new Uint8Array(4 * width * height).fill(255);
  values.forEach((value, i) => {
    data[4 * Math.floor(i / 3) + (i % 3)] = value;
  });
  return { width, height, data };
}

const loading = (config: object) =>
  loadImageConverter({
    'preprocessor_config.json': new File([JSON.stringify(config)], 'preprocessor_config.json'),
  });

describe.each(processors)('%s', (name) => {
  test.each(['wide', 'tall'])('converts a %s picture as transformers does', async (picture) => {
    const convert = await loadImageConverter(path.join(root, name));
    const made = convert(bytesOf(picture));
    const wanted = expected.tensor(`${name}.${picture}`);
    expect(made.shape).toEqual([1, ...wanted.shape]);
    const { do_rescale, do_normalize, image_std, rescale_factor } = configOf(name);
    // torchvision weighs pixels in 16-bit integers: a value may be the next byte.
    const step = (do_rescale ? rescale_factor : 1) / (do_normalize ? Math.min(...image_std) : 1);
    const [values, target] = [await made.data(), await wanted.data()];
    const apart = Array.from(values, (value, i) => Math.abs(value - (target[i] as number)) / step);
    expect(Math.max(...apart)).toBeLessThan(1.001);
    expect(apart.filter((distance) => distance > 1e-3).length).toBeLessThan(0.02 * apart.length);
  });
});

test('tensors and lists of pictures are converted, too', async () => {
  const convert = await loadImageConverter(path.join(root, 'vit'));
  const [wide, tall] = [expected.tensor('picture.wide'), expected.tensor('picture.tall')];
  const both = convert([wide, tall]);
  expect(both.shape).toEqual([2, 12, 10, 3]);
  const apart = concat([convert(bytesOf('wide')), convert(expandDims(tall, { axis: 0 }))], { axis: 0 });
  expect(await both.data()).toEqual(await apart.data());
  expect(() => convert([])).toThrow(ValueError);
  expect(() => convert(zeros([4, 4, 2]) as Tensor)).toThrow(ShapeError);
  const keeping = await loading({ ...configOf('clip'), do_center_crop: false });
  expect(() => keeping([wide, tall])).toThrow(/same size/);
});

test('a file of a whole processor has the same, and a file may leave out what is usual', async () => {
  const picture = bytesOf('wide');
  const wanted = await (await loading(configOf('clip')))(picture).data();
  const json = { processor_class: 'CLIPProcessor', image_processor: configOf('clip') };
  const file = new File([JSON.stringify(json)], 'processor_config.json');
  expect(await (await loadImageConverter([file]))(picture).data()).toEqual(wanted);
  const { size, crop_size, image_processor_type } = configOf('clip');
  expect(await (await loading({ size, crop_size, image_processor_type }))(picture).data()).toEqual(wanted);
  const other = new File([JSON.stringify({ feature_extractor: {} })], 'processor_config.json');
  await expect(loadImageConverter([other])).rejects.toThrow(/preprocessor_config\.json/);
  const wrong = new File([JSON.stringify({ image_processor: { do_pad: true } })], 'processor_config.json');
  await expect(loadImageConverter([wrong])).rejects.toThrow(/image_processor\.do_pad/);
});

test('files of older versions have lengths as numbers', async () => {
  const picture = bytesOf('wide');
  const clip = configOf('clip');
  const old = await loading({
    ...clip,
    size: 14,
    crop_size: 12,
    image_processor_type: null,
    feature_extractor_type: 'CLIPFeatureExtractor',
  });
  const convert = await loading(clip);
  expect(await old(picture).data()).toEqual(await convert(picture).data());
  const square = await loading({ ...configOf('vit'), size: 10 });
  expect(square(picture).shape).toEqual([1, 10, 10, 3]);
});

test.each([
  [{ resample: 0 }, 'resample'],
  [{ do_pad: true }, 'do_pad'],
  [{ size: { longest_edge: 5 } }, 'size'],
  [{ size: { height: -1, width: 4 } }, 'size'],
  [{ image_mean: [0.5] }, 'image_mean'],
  [{ image_std: [0, 1, 1] }, 'image_std'],
  [{ do_reduce_labels: true }, 'do_reduce_labels'],
  [{ rescale_factor: 'x' }, 'rescale_factor'],
])('%o is refused by its field', async (change, field) => {
  const error = await loading({ ...configOf('vit'), ...change }).catch((reason: Error) => reason);
  expect(error).toBeInstanceOf(FormatError);
  expect((error as Error).message).toContain(`\`${field}\``);
});
