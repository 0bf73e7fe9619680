/** @file The geometry of a convolution: its sizes, and errors for operands that don't fit. */
import { expect, test } from 'vitest';
import {
  type ConvolutionOptions,
  convolutionGeometry,
  imageShape,
  kernelShape,
  requireCotangent,
  resultShape,
} from '../../src/core/convolution.ts';
import { DTypeError, ShapeError, ValueError } from '../../src/core/errors.ts';

const geometry = (image: number[], kernel: number[], options: ConvolutionOptions = {}) =>
  convolutionGeometry('conv2d', image, kernel, options);

test.each<[string, number[], number[], ConvolutionOptions, number[]]>([
  ['by default strides 1, no padding', [2, 7, 9, 3], [3, 2, 3, 5], {}, [2, 5, 8, 5]],
  ['strides by axis', [1, 7, 9, 3], [3, 3, 3, 4], { strides: [2, 3] }, [1, 3, 3, 4]],
  ['same padding', [1, 7, 9, 3], [3, 3, 3, 4], { strides: 2, padding: 'same' }, [1, 4, 5, 4]],
  ['dilation', [1, 7, 9, 3], [3, 3, 3, 4], { dilationRate: [2, 4] }, [1, 3, 1, 4]],
  ['groups', [1, 4, 4, 6], [1, 1, 2, 9], { groups: 3 }, [1, 4, 4, 9]],
  ['an empty batch', [0, 4, 4, 6], [1, 1, 6, 9], {}, [0, 4, 4, 9]],
])('%s', (_, image, kernel, options, result) => {
  const found = geometry(image, kernel, options);
  expect(imageShape(found)).toEqual(image);
  expect(kernelShape(found)).toEqual(kernel);
  expect(resultShape(found)).toEqual(result);
});

test.each<[string, number[], number[], ConvolutionOptions, RegExp]>([
  ['an image of another rank', [7, 9, 3], [3, 3, 3, 4], {}, /`x` must have rank 4/],
  ['a kernel of another rank', [1, 7, 9, 3], [3, 3, 3], {}, /`kernel` must have rank 4/],
  [
    'a kernel without rows',
    [1, 7, 9, 3],
    [0, 3, 3, 4],
    {},
    /at least one pixel[\s\S]*kernel float32\[0, 3, 3, 4\]/,
  ],
  ['a kernel without columns', [1, 7, 9, 3], [3, 0, 3, 4], {}, /at least one pixel/],
  [
    'other channels',
    [1, 7, 9, 3],
    [3, 3, 4, 4],
    {},
    /x float32\[1, 7, 9, 3\], kernel float32\[3, 3, 4, 4\], groups 1/,
  ],
  ['channels without groups', [1, 7, 9, 6], [3, 3, 2, 4], {}, /channels of x \/ groups/],
  ['groups that don’t divide the filters', [1, 7, 9, 6], [3, 3, 2, 4], { groups: 3 }, /divide the filters/],
  ['a kernel larger than the image', [1, 2, 9, 3], [3, 3, 3, 4], {}, /a window of 3 on spatial axis 0/],
])('%s', (_, image, kernel, options, message) => {
  expect(() => geometry(image, kernel, options)).toThrow(ShapeError);
  expect(() => geometry(image, kernel, options)).toThrow(message);
});

test('options', () => {
  for (const options of [{ groups: 0 }, { groups: 1.5 }, { strides: 0 }, { dilationRate: [1] }])
    expect(() => geometry([1, 7, 9, 3], [3, 3, 3, 4], options), JSON.stringify(options)).toThrow(ValueError);
  expect(() => geometry([1, 7, 9, 3], [3, 3, 3, 4], { groups: 0 })).toThrow(/`groups` must be an integer/);
});

test('a cotangent has the shape of the result, in float32', () => {
  const check =
    (shape: number[], dtype: 'float32' | 'int32' = 'float32') =>
    () =>
      requireCotangent('conv2dInputGrad', { shape, dtype }, [1, 2, 3, 4]);
  expect(check([1, 2, 3, 4])).not.toThrow();
  expect(check([1, 2, 3, 5])).toThrow(ShapeError);
  expect(check([1, 2, 3, 5])).toThrow(/float32\[1, 2, 3, 5\], for a result of shape \[1, 2, 3, 4\]/);
  expect(check([1, 2, 3, 4], 'int32')).toThrow(DTypeError);
  expect(check([1, 2, 3, 4], 'int32')).toThrow(/dy of dtype int32/);
});
