/** @file The functions that WGSL expressions of ops may call. */
export * from '../../../shaders/lib/math.ts';
