/** @file The first computation of each library. */

/** The product of two matrices of ones of this size equals this number everywhere. */
export const size = 256;

/** Starts the library, and returns the values of the product. */
export type FirstResult = () => Promise<ArrayLike<number>>;
