/** @file What is weighed of Retrograd: products, convolutions, gathers and gradients, and what they need to start. */
export { conv2d, gather, grad, init, matMul, tensor } from 'retrograd';
