import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OptionError, parseOptions, VGG19_LAYERS } from '../../scripts/lib/demo-options.mjs';
import { line } from '../../scripts/lib/progress.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-demo-'));
const fileOf = (name: string, bytes: number[]) => {
  const file = path.join(folder, name);
  fs.writeFileSync(file, Buffer.from(bytes));
  return file;
};

afterAll(() => fs.rmSync(folder, { recursive: true }));

describe('the options of the demo', () => {
  test('have defaults', () => {
    expect(parseOptions([])).toMatchObject({
      size: 48,
      steps: 60,
      seed: 1,
      layers: ['block1_conv2', 'block2_conv2', 'block3_conv2', 'block4_conv2'],
      image: null,
      weights: null,
      json: false,
      help: false,
    });
  });

  test('are read', () => {
    const image = fileOf('picture.jpg', [0xff, 0xd8, 0xff, 0xe0]);
    const args = [
      '--size',
      '64',
      '--steps=5',
      '--seed',
      '7',
      '--layers',
      'block1_conv1, block2_pool',
      '--image',
      image,
    ];
    const weights = fileOf('vgg19.pth', [1]);
    expect(parseOptions([...args, '--weights', weights, '--json', '--out', folder])).toMatchObject({
      weights,
      size: 64,
      steps: 5,
      seed: 7,
      layers: ['block1_conv1', 'block2_pool'],
      image,
      json: true,
      out: folder,
    });
  });

  test("know VGG19's layers", () => {
    const fixture = new URL('../fixtures/applications/vgg19.json', import.meta.url);
    const { withoutTop } = JSON.parse(fs.readFileSync(fixture, 'utf8'));
    expect(VGG19_LAYERS).toEqual(withoutTop.layers.slice(1).map(([name]: [string]) => name));
  });

  test.each<[string, string[], RegExp]>([
    ['a fraction', ['--size', '48.5'], /--size must be an integer.*48\.5/],
    ['a word', ['--size', 'big'], /integer/],
    ['nothing', ['--size', ''], /Received: nothing/],
    ['a negative number', ['--size', '-3'], /Received: -3/],
    ['an enormous number', ['--size', '100000'], /from 1 to 1024/],
    ['a picture too small for its layers', ['--size', '15'], /at least 16 pixels/],
    [
      'a picture too small for a deep pool',
      ['--size', '48', '--layers', 'block5_pool'],
      /at least 64 pixels/,
    ],
    ['no steps', ['--steps', '0'], /--steps must be/],
    ['a bad seed', ['--seed', '1e3'], /--seed must be/],
    ['unknown layers', ['--layers', 'block1_conv2,block6_conv1'], /no layer 'block6_conv1'.*block5_pool/],
    ['no layers', ['--layers', ''], /no layer ''/],
    ['a missing file', ['--image', '/nowhere/at.png'], /no such file: \/nowhere\/at\.png/],
    ['a folder', ['--image', folder], /it is a folder/],
    ['a file that is no picture', ['--image', fileOf('notes.png', [1, 2, 3])], /neither a PNG nor a JPEG/],
    ['an empty file', ['--image', fileOf('empty.png', [])], /neither a PNG nor a JPEG/],
    [
      'weights that are missing',
      ['--weights', '/nowhere/vgg19.h5'],
      /--weights: there is no such file: \/nowhere/,
    ],
    ['weights that are a folder', ['--weights', folder], /--weights: it is a folder/],
    ['an empty file of weights', ['--weights', fileOf('empty.h5', [])], /--weights: the file is empty/],
    ['an unknown option', ['--colour'], /Unknown option '--colour'/],
    ['an unexpected argument', ['fast'], /fast/],
    ['a missing value', ['--steps'], /argument missing/],
  ])('reject %s', (_, args, message) => {
    const parse = () => parseOptions(args);
    expect(parse).toThrow(OptionError);
    expect(parse).toThrow(message);
  });

  test('allow small pictures for early layers', () => {
    expect(parseOptions(['--size', '2', '--layers', 'block1_conv1']).size).toBe(2);
  });
});

test('a line of progress says how far, how fast and how long', () => {
  const state = { label: 'pixel', done: 15, total: 60, note: 'loss 1.00e-2', stepsPerSecond: 0.5 };
  expect(line(state)).toMatch(
    /^pixel {6}█{7}░{21} 15\/60 {2}loss 1\.00e-2 {2}0\.5 steps\/s {2}1 min 30 s left$/,
  );
});
