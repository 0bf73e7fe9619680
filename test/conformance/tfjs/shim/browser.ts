/** @file The part of tf.browser that needs no page. */
import { Tensor } from '../../../../src/index.ts';
import { type Loose, native, rejectUnless, toTensor } from './call.ts';
import { notOffered } from './notOffered.ts';

/** Floats are in [0, 1] for TF.js, integers in [0, 255]; it rejects others, which the library clamps. */
async function toPixels(image: Loose, canvas?: Loose): Promise<Loose> {
  if (canvas !== undefined) notOffered('a canvas without a page');
  const x = toTensor(image, Array.isArray(image) ? 'int32' : undefined);
  rejectUnless(
    x instanceof Tensor,
    `Argument 'img' passed to 'toPixels' must be a Tensor, but got '${image?.constructor?.name}'`,
  );
  rejectUnless([2, 3].includes(x.rank), `toPixels only supports rank 2 or 3 tensors, got rank ${x.rank}.`);
  const depth = x.rank === 2 ? 1 : x.shape[2];
  rejectUnless([1, 3, 4].includes(depth), `toPixels only supports depth of size 1, 3 or 4 but got ${depth}`);
  rejectUnless(
    ['float32', 'int32'].includes(x.dtype),
    `Unsupported type for toPixels: ${x.dtype}. Please use float32 or int32 tensors.`,
  );
  const max = x.dtype === 'float32' ? 1 : 255;
  for (const value of await x.data())
    rejectUnless(
      value >= 0 && value <= max,
      `Tensor values for a ${x.dtype} Tensor must be in the range [0 - ${max}] but found ${value}.`,
    );
  const { data } = await native('toPixels')(x, { range: [0, max] });
  if (x !== image) x.dispose();
  return new Uint8ClampedArray(data);
}

export const browser = { toPixels };
