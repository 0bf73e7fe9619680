/** @file The measured parts of Retrograd: matmuls, convolutions, gathers and gradients, and what they need to start. */
export { conv2d, gather, grad, init, matMul, tensor } from 'retrograd';
