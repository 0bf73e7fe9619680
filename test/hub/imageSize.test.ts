/** @file Networks for images of another size than they were trained on, next to transformers. test/fixtures/hub/make_resized.py made the values. */
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, type Tensor, ValueError, zeros } from '../../src/index.ts';
import { FilesTarget, writeSafetensors } from '../../src/io/index.ts';
import {
  type CLIPBackbone,
  fromPretrained,
  type ImageClassifier,
  loadImageConverter,
  savePretrained,
} from '../../src/hub/index.ts';
import { Expected, expectClose, filesOf, folderOf } from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

type Network = CLIPBackbone | ImageClassifier;

const logitsOf = (net: Network, images: Tensor) =>
  'getVisionEmbeddings' in net ? net.getVisionEmbeddings(images) : net.apply(images);

describe.each(['vit', 'clip'])('%s', (name) => {
  test.each([
    [20, 12],
    [8, 28],
  ] as const)('for images of %i × %i computes what transformers does, also saved again', async (...size) => {
    const expected = new Expected(folderOf(`resized/${name}-${size.join('x')}.safetensors`));
    const wanted = expected.values('logits');
    const net = (await fromPretrained(folderOf(name), { imageSize: size })) as Network;
    await expectClose(logitsOf(net, expected.tensor('pixels')), wanted, 1e-4);
    const saved = new FilesTarget();
    await savePretrained(net, saved);
    const again = (await fromPretrained(saved.files)) as Network;
    await expectClose(logitsOf(again, expected.tensor('pixels')), wanted, 1e-4);
    // These weren't those of a square.
    await expect(fromPretrained(saved.files, { imageSize: 12 })).rejects.toThrow(/trained on squares/);
    net.dispose();
    again.dispose();
  });

  test('for images of its own size is as it was', async () => {
    const expected = new Expected(name);
    const images = expected.tensor('pixels');
    const [net, plain] = (await Promise.all([
      fromPretrained(folderOf(name), { imageSize: 12 }),
      fromPretrained(folderOf(name)),
    ])) as [Network, Network];
    expect(await logitsOf(net, images).data()).toEqual(await logitsOf(plain, images).data());
    net.dispose();
    plain.dispose();
  });
});

test('the older object with the fields of CLIP’s images counts', async () => {
  const { 'config.json': file, ...others } = filesOf('clip') as { 'config.json': File };
  const config = JSON.parse(await file.text());
  const older = { ...config, vision_config_dict: config.vision_config };
  const files = { ...others, 'config.json': new File([JSON.stringify(older)], 'config.json') };
  const net = (await fromPretrained(files, { imageSize: [20, 12] })) as CLIPBackbone;
  expect(net.visionEncoder.imageShape).toEqual([20, 12, 3]);
  net.dispose();
});

test('pictures become as large as that', async () => {
  const picture = zeros([50, 40, 3]);
  for (const name of ['vit', 'clip']) {
    const folder = folderOf(`images/${name}`);
    expect((await loadImageConverter(folder, { imageSize: [20, 12] }))(picture).shape).toEqual([
      1, 20, 12, 3,
    ]);
    expect((await loadImageConverter(folder, { imageSize: 24 }))(picture).shape).toEqual([1, 24, 24, 3]);
    await expect(loadImageConverter(folder, { imageSize: 0.5 })).rejects.toThrow(/imageSize/);
  }
});

describe('errors', () => {
  test.each([
    ['gpt2', 12, ValueError, /for networks of images/],
    ['vit', 0, ValueError, /imageSize/],
    ['vit', [12, 12, 3] as never, ValueError, /imageSize/],
    ['vit', 3, FormatError, /at least one patch/],
  ])('%s for %s', async (name, imageSize, type, message) => {
    const loading = fromPretrained(folderOf(name), { imageSize });
    await expect(loading).rejects.toThrow(type as never);
    await expect(loading).rejects.toThrow(message);
  });

  test('positions that are missing, or none', async () => {
    const weights = new File([writeSafetensors(new Map())], 'model.safetensors');
    const files = { ...filesOf('vit'), 'model.safetensors': weights };
    await expect(fromPretrained(files, { imageSize: 20 })).rejects.toThrow(FormatError);
  });
});
