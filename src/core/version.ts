/** @file The version of the library, as in its package. */
export const version = '0.2.0';
