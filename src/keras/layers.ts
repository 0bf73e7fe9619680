/**
 * @file The entry `retrograd/keras/layers`: the layers one by one, for bundlers that keep all of a namespace that another
 * module exports, as esbuild does with `layers` of `retrograd/keras`.
 */
export * from './layers/index.ts';
