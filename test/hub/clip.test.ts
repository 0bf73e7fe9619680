/** @file CLIP's vectors of images and of texts, the kinds of its inputs, and what training it takes. */
import fs from 'node:fs';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gradients, init, mean, slice, softmax, type Tensor, ValueError } from '../../src/index.ts';
import { CLIPBackbone, fromPretrained, loadTokenizer } from '../../src/hub/index.ts';
import { losses } from '../../src/keras/index.ts';
import { Expected, expectClose, folderOf } from './checkpoints.ts';

const expected = new Expected('clip');
let net: CLIPBackbone;

beforeAll(async () => {
  await init();
  net = await fromPretrained(folderOf('clip'), { task: 'imageTextBackbone' });
});
afterAll(() => net.dispose());

const images = () => expected.tensor('pixels');
const tokenIds = () => expected.tensor('ids');

test('vectors are those of transformers, with and without a mask', async () => {
  await expectClose(net.getVisionEmbeddings(images()), expected.values('image_features'), 1e-4);
  const paddingMask = expected.tensor('mask');
  await expectClose(
    net.getTextEmbeddings({ tokenIds: tokenIds(), paddingMask }),
    expected.values('text_features'),
    1e-4,
  );
  // A text ends before its padding, and sees no later tokens.
  await expectClose(net.getTextEmbeddings(tokenIds()), expected.values('text_features'), 1e-4);
});

test('any numbers of images and texts are compared, in both directions', async () => {
  const one = slice(images(), { begin: [1, 0, 0, 0], size: [1, 12, 12, 3] });
  const { visionLogits, textLogits } = net.apply({ images: one, tokenIds: tokenIds() });
  expect([visionLogits.shape, textLogits.shape]).toEqual([
    [1, 3],
    [3, 1],
  ]);
  await expectClose(visionLogits, expected.values('logits').slice(3), 1e-4);
  expect(await textLogits.data()).toEqual(await visionLogits.data());
});

test('a contrastive loss has gradients for both encoders and the factor', async () => {
  const loss = losses.sparseCategoricalCrossentropy();
  const { gradients: found } = gradients(
    () => {
      const { visionLogits } = net.apply({ images: images(), tokenIds: tokenIds() });
      return mean(loss.call([2, 0] as never, softmax(visionLogits)) as Tensor);
    },
    [net.logitScale, net.visionEncoder.preLayerNorm.gamma, net.textEncoder.layerNorm.gamma] as never,
  );
  for (const gradient of found as unknown as (Tensor | null)[])
    expect((await (gradient as Tensor).data()).some((value) => Math.abs(value) > 1e-9)).toBe(true);
});

test('its tokenizer makes the tokens of transformers', async () => {
  const tokenizer = await loadTokenizer(folderOf('clip'), Tokenizer);
  const texts = JSON.parse(fs.readFileSync(path.join(folderOf('clip'), 'texts.json'), 'utf8'));
  for (const { text, ids } of texts) expect(tokenizer.encode(text).ids).toEqual(ids);
});

test('takes encoders of its own kinds', () => {
  const { visionEncoder, textEncoder } = net;
  const swapped = { visionEncoder: textEncoder, textEncoder: visionEncoder, projectionDim: 4 };
  expect(() => new CLIPBackbone(swapped as never)).toThrow(ValueError);
});
