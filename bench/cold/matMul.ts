/** @file What each library computes first. */

/** The product of two matrices of ones of this size is this number, everywhere. */
export const size = 256;

/** Starts the library; the product's values. */
export type FirstResult = () => Promise<ArrayLike<number>>;
