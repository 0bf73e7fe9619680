/** @file The measured parts of jax-js: the same, and jit. */
export { defaultDevice, grad, init, jit, lax, numpy } from '@jax-js/jax';
