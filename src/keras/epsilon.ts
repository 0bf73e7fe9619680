/** @file Keras's fuzz factor, which keeps logarithms and quotients finite. */
export const epsilon = 1e-7;
