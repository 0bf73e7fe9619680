/** @file Tensors as pictures: the pixels of the PNG files inside of the text, read by another library. */
import { PNG } from 'pngjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { init, ShapeError, tensor, ValueError } from '../../src/index.ts';
import { featureMaps, images } from '../../src/show/index.ts';

beforeAll(() => init());

/** The pictures of an SVG. */
const pngs = (svg: string) =>
  [...svg.matchAll(/href="data:image\/png;base64,([^"]*)"/g)].map(([, text = '']) =>
    PNG.sync.read(Buffer.from(text, 'base64')),
  );

describe('images', () => {
  test('shows a batch: values from black to white, each picture with its caption', async () => {
    const batch = tensor([0, 0.5, 1, 2, 1, 0.25, -1, Number.NaN], { shape: [2, 2, 2, 1] });
    const { svg } = await images(batch, { captions: ['first', 'second'] });
    const [first, second] = pngs(svg);
    const grey = (png: PNG | undefined) => [...(png?.data ?? [])].filter((_, i) => i % 4 === 1);
    expect(grey(first)).toEqual([0, 128, 255, 255]);
    expect(grey(second)).toEqual([255, 64, 0, 0]);
    expect([first?.width, first?.height, first?.data[3]]).toEqual([2, 2, 255]);
    expect(svg).toMatch(/<desc>2 of 2 × 2 pixels: first, second<\/desc>/);
  });

  test('takes colours, alpha, one picture, and a range', async () => {
    const colours = tensor([255, 0, 51], { shape: [1, 1, 3] });
    expect([...(pngs((await images(colours, { range: [0, 255] })).svg)[0]?.data ?? [])]).toEqual([
      255, 0, 51, 255,
    ]);
    const clear = tensor([1, 1, 1, 0.2], { shape: [1, 1, 1, 4] });
    expect([...(pngs((await images(clear)).svg)[0]?.data ?? [])]).toEqual([255, 255, 255, 51]);
    expect(pngs((await images(tensor([[0, 1]]))).svg)).toHaveLength(1);
  });

  test('has a line of its own for each row of the grid', async () => {
    const { svg } = await images(tensor(new Float32Array(6), { shape: [6, 1, 1, 1] }), {
      columns: 4,
      size: 20,
    });
    const places = [...svg.matchAll(/<image [^>]*? x="(\d+)" y="(\d+)"/g)].map(([, x, y]) => `${x},${y}`);
    expect(places).toEqual(['0,0', '28,0', '56,0', '84,0', '0,28', '28,28']);
  });

  test('a large picture is more than one block of a PNG', async () => {
    const { svg } = await images(
      tensor(
        Float32Array.from({ length: 200 * 150 }, (_, i) => (i % 7) / 6),
        { shape: [200, 150] },
      ),
    );
    const [png] = pngs(svg);
    expect([png?.width, png?.height]).toEqual([150, 200]);
    expect(png?.data[4 * (199 * 150 + 149)]).toBe(Math.round((255 * ((200 * 150 - 1) % 7)) / 6));
  });
});

test('featureMaps shows each channel from its least value to its largest', async () => {
  const output = tensor([0, 5, 10, 5, 20, 5], { shape: [1, 3, 1, 2] });
  const maps = pngs((await featureMaps(output)).svg);
  expect(maps.map(({ data }) => [...data].filter((_, i) => i % 4 === 0))).toEqual([
    [0, 128, 255],
    [0, 0, 0],
  ]);
  const second = await featureMaps(tensor([0, 0, 1, 2], { shape: [2, 2, 1, 1] }), { index: 1, count: 1 });
  expect([...(pngs(second.svg)[0]?.data ?? [])].filter((_, i) => i % 4 === 0)).toEqual([0, 255]);
});

test.each<[string, () => Promise<unknown>, typeof ShapeError, RegExp]>([
  [
    'five channels',
    () => images(tensor(new Float32Array(5), { shape: [1, 1, 5] })),
    ShapeError,
    /featureMaps/,
  ],
  ['a vector', () => featureMaps(tensor([1, 2])), ShapeError, /\[n, h, w, c\]/],
  ['an array', () => images([[1]] as never), ValueError, /takes a tensor/],
  [
    'too few captions',
    () => images(tensor(new Float32Array(2), { shape: [2, 1, 1, 1] }), { captions: ['a'] }),
    ShapeError,
    /1 captions, 2 pictures/,
  ],
  [
    'an example that is not there',
    () => featureMaps(tensor(new Float32Array(2), { shape: [2, 1, 1, 1] }), { index: 2 }),
    ValueError,
    /from 0 to 1/,
  ],
  ['a range without an order', () => images(tensor([[1]]), { range: [1, 0] }), ValueError, /lower one first/],
  ['a misspelt option', () => images(tensor([[1]]), { caption: ['a'] } as never), ValueError, /captions/],
])('rejects %s', async (_, act, kind, message) => {
  await expect(act()).rejects.toThrow(kind);
  await expect(act()).rejects.toThrow(message);
});
