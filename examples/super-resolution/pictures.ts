/** @file Pictures [1, height, width, 3] from 0 to 1: smaller ones, and how far one is from another. */
import { avgPool, log, mean, mul, squaredDifference, type Tensor, tidy } from 'retrograd';

/** A picture of half the size: the mean of each four pixels. */
export function halved(picture: Tensor): Tensor {
  return avgPool(picture, { poolSize: 2 });
}

/** Peak signal-to-noise ratio in decibels. */
export async function decibels(picture: Tensor, wanted: Tensor): Promise<number> {
  const ratio = tidy(() => mul(log(mean(squaredDifference(picture, wanted))), -10 / Math.LN10));
  const value = await ratio.item();
  ratio.dispose();
  return value;
}
