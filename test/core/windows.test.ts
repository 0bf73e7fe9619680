/** @file Windows over an axis: which elements of the image each one reads, against windows that are laid out one by one. */
import { expect, test } from 'vitest';
import { ShapeError, ValueError } from '../../src/core/errors.ts';
import { clippedWindow, paddingOf, perAxis, slideWindows, type WindowAxis } from '../../src/core/windows.ts';

interface Layout {
  input: number;
  window: number;
  stride: number;
  dilation: number;
}

/** The elements that each window reads, by place in the image; null lies beyond it. */
type Reads = (number | null)[][];

/** Windows from `before` elements ahead of the image on, as many as are given. */
function reads({ input, window, stride, dilation }: Layout, before: number, count: number): Reads {
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: window }, (__, tap) => {
      const place = i * stride + tap * dilation - before;
      return place >= 0 && place < input ? place : null;
    }),
  );
}

const readsOf = (axis: WindowAxis) => reads(axis, axis.before, axis.output);

/** What is left of windows without what lies beyond the image. */
const inside = (all: Reads) => all.map((window) => window.filter((place) => place !== null));

const layouts: Layout[] = [1, 2, 5, 8, 13].flatMap((input) =>
  [1, 2, 3, 5].flatMap((window) =>
    [1, 2, 3, 7, 20].flatMap((stride) => [1, 2, 4].map((dilation) => ({ input, window, stride, dilation }))),
  ),
);

const slide = ({ input, ...rest }: Layout, padding: Parameters<typeof paddingOf>[1]) =>
  slideWindows('pool', [input], {
    window: [rest.window],
    strides: [rest.stride],
    dilation: [rest.dilation],
    padding: paddingOf('pool', padding, 1),
  })[0] as WindowAxis;

test("'valid' windows are those that lie in the image", () => {
  for (const layout of layouts) {
    const extent = (layout.window - 1) * layout.dilation + 1;
    if (extent > layout.input) {
      expect(() => slide(layout, 'valid')).toThrow(ShapeError);
      continue;
    }
    let count = 0;
    while (count * layout.stride + extent <= layout.input) count++;
    expect(readsOf(slide(layout, 'valid')), JSON.stringify(layout)).toEqual(reads(layout, 0, count));
  }
});

test('with explicit padding, those that lie in the padded image', () => {
  for (const layout of layouts)
    for (const [before, after] of [
      [0, 3],
      [2, 0],
      [1, 4],
    ] as const) {
      const extent = (layout.window - 1) * layout.dilation + 1;
      const padded = layout.input + before + after;
      if (extent > padded) {
        expect(() => slide(layout, [[before, after]])).toThrow(ShapeError);
        continue;
      }
      let count = 0;
      while (count * layout.stride + extent <= padded) count++;
      const axis = slide(layout, [[before, after]]);
      expect(readsOf(axis), JSON.stringify(layout)).toEqual(reads(layout, before, count));
      expect(axis.before).toBe(before);
    }
});

test("'same' has a window for each stride, and an odd element of padding after the image", () => {
  for (const layout of layouts) {
    const count = Math.ceil(layout.input / layout.stride);
    const extent = (layout.window - 1) * layout.dilation + 1;
    const missing = Math.max(0, (count - 1) * layout.stride + extent - layout.input);
    const expected = reads(layout, Math.floor(missing / 2), count);
    expect(inside(readsOf(slide(layout, 'same'))), JSON.stringify(layout)).toEqual(inside(expected));
  }
});

test("'same' windows with taps that are farther apart than some images", () => {
  for (const dilation of [7, 30, 60])
    for (const input of [1, 5, 13])
      for (const stride of [1, 2, 7]) {
        const layout = { input, window: 3, stride, dilation };
        const count = Math.ceil(input / stride);
        const missing = (count - 1) * stride + 2 * dilation + 1 - input;
        const expected = reads(layout, Math.floor(missing / 2), count);
        expect(inside(readsOf(slide(layout, 'same'))), JSON.stringify(layout)).toEqual(inside(expected));
      }
});

test('a clipped window reads the same elements, and no tap lies beyond the image in all positions', () => {
  for (const layout of layouts.filter(({ dilation }) => dilation === 1)) {
    const axis = slide(layout, 'same');
    const clipped = clippedWindow(axis);
    expect(inside(readsOf(clipped)), JSON.stringify(layout)).toEqual(inside(readsOf(axis)));
    expect(clipped.window).toBeLessThanOrEqual(axis.window);
    const all = readsOf(clipped);
    for (let tap = 0; tap < clipped.window; tap++)
      expect(
        all.some((window) => window[tap] !== null),
        JSON.stringify(layout),
      ).toBe(true);
  }
});

test('with explicit padding a clipped window reads the same elements', () => {
  for (const layout of layouts.filter(({ dilation }) => dilation === 1))
    for (const [before, after] of [
      [3, 0],
      [0, 3],
      [4, 4],
    ] as const) {
      if (layout.window > layout.input + before + after) continue;
      const axis = slide(layout, [[before, after]]);
      const clipped = clippedWindow(axis);
      expect(inside(readsOf(clipped)), JSON.stringify(layout)).toEqual(inside(readsOf(axis)));
      expect(clipped.window).toBeLessThanOrEqual(before + layout.input);
    }
});

test('the stride of a single window leads beyond the padded image, so that a gradient finds no other window', () => {
  for (const stride of [1, 7, 20, 2 ** 40])
    for (const padding of ['same', 'valid', [[2, 1]]]) {
      const axis = slide({ input: 5, window: 5, stride, dilation: 1 }, padding);
      for (const { output, before, window, stride: found } of [axis, clippedWindow(axis)])
        if (output === 1)
          expect(found, `${stride} ${padding}`).toBeGreaterThanOrEqual(Math.min(stride, before + window));
    }
});

test('huge windows, strides and dilations stay within positions that kernels can compute', () => {
  const limit = 2 ** 31;
  for (const layout of [
    { input: 5, window: 3, stride: 2 ** 40, dilation: 1 },
    { input: 5, window: 3, stride: 1, dilation: 2 ** 40 },
    { input: 5, window: 2, stride: 3, dilation: 2 ** 31 },
  ]) {
    const axis = slide(layout, 'same');
    const farthest = (axis.output - 1) * axis.stride + (axis.window - 1) * axis.dilation;
    expect(farthest, JSON.stringify(layout)).toBeLessThan(limit);
    expect(axis.stride).toBeLessThan(limit);
    const count = Math.ceil(layout.input / layout.stride);
    const missing = Math.max(0, (count - 1) * layout.stride + (layout.window - 1) * layout.dilation + 1 - 5);
    const expected = reads(layout, Math.floor(missing / 2), count);
    expect(inside(readsOf(axis)), JSON.stringify(layout)).toEqual(inside(expected));
  }
  expect(slide({ input: 5, window: 3, stride: 2 ** 40, dilation: 1 }, 'valid').stride).toBeLessThan(limit);
  const wide = clippedWindow(slide({ input: 5, window: 2 ** 33, stride: 2, dilation: 1 }, 'same'));
  expect(wide.window).toBeLessThan(limit);
  expect(inside(readsOf(wide))).toEqual([
    [0, 1, 2, 3, 4],
    [0, 1, 2, 3, 4],
    [0, 1, 2, 3, 4],
  ]);
});

test('each axis has its own window, stride, dilation and padding', () => {
  const [rows, columns] = slideWindows('conv2d', [7, 9], {
    window: [3, 2],
    strides: [2, 1],
    dilation: [1, 4],
    padding: [
      [1, 0],
      [0, 2],
    ],
  });
  expect(rows).toEqual({ input: 7, output: 3, window: 3, stride: 2, dilation: 1, before: 1 });
  expect(columns).toEqual({ input: 9, output: 7, window: 2, stride: 1, dilation: 4, before: 0 });
  const [plain] = slideWindows('maxPool', [4], { window: [2], strides: [2], padding: 'valid' });
  expect(plain).toEqual({ input: 4, output: 2, window: 2, stride: 2, dilation: 1, before: 0 });
});

test('windows that don’t fit, and padded axes that are too long', () => {
  const slideOne =
    (input: number, padding: [number, number][], window = 3) =>
    () =>
      slideWindows('conv2d', [8, input], {
        window: [1, window],
        strides: [1, 1],
        padding: [[0, 0], ...padding],
      });
  expect(slideOne(2, [[0, 0]])).toThrow(/a window of 3 on spatial axis 1, which has 2 elements .*\[8, 2\]/);
  expect(slideOne(2, [[0, 1]])).not.toThrow();
  expect(slideOne(1, [[0, 2 ** 31 - 2]])).not.toThrow();
  expect(slideOne(1, [[1, 2 ** 31 - 2]])).toThrow(/at most 2147483647 elements[\s\S]*spatial axis 1/);
});

test('one number stands for all axes', () => {
  expect(perAxis('pool', 'strides', 2, 3)).toEqual([2, 2, 2]);
  expect(perAxis('pool', 'strides', [1, 2], 2)).toEqual([1, 2]);
  for (const wrong of [0, -1, 1.5, '2', null, Number.NaN, [1, 0], [1], [1, 2, 3], []])
    expect(() => perAxis('pool', 'strides', wrong, 2), String(wrong)).toThrow(ValueError);
  expect(() => perAxis('pool', 'strides', [1], 2)).toThrow(
    /`strides` is one positive integer, or a list of 2[\s\S]*received: strides: \[1\][\s\S]*pass \[2, 2\], or 2/,
  );
});

test('padding is a name, or a pair for each axis', () => {
  expect(paddingOf('pool', 'same', 2)).toBe('same');
  expect(paddingOf('pool', 'valid', 1)).toBe('valid');
  const pairs = [
    [0, 1],
    [2, 0],
  ];
  expect(paddingOf('pool', pairs, 2)).toEqual(pairs);
  const wrong = [
    'full',
    1,
    null,
    undefined,
    [[1, 1]],
    [[1], [1]],
    [
      [1, 1, 1],
      [0, 0],
    ],
    [
      [1, -1],
      [0, 0],
    ],
  ];
  for (const padding of [
    ...wrong,
    [
      [0.5, 1],
      [0, 0],
    ],
    [1, 1],
    [
      ['1', 1],
      [0, 0],
    ],
  ])
    expect(() => paddingOf('pool', padding, 2), JSON.stringify(padding)).toThrow(ValueError);
  expect(() => paddingOf('pool', 'smae', 2)).toThrow(/2 spatial axes[\s\S]*padding: 'smae'[\s\S]*'same'/);
  expect(() => paddingOf('pool', 3, 2)).toThrow(/such as \[\[1, 1\], \[1, 1\]\]/);
});
