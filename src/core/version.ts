/** @file The version of the library, as in its package. */
export const version = '0.1.0';
