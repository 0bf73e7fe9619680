/** @file Keras's fuzz factor: what keeps logarithms and quotients finite. */
export const epsilon = 1e-7;
