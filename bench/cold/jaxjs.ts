/** @file jax-js's first result. */
import { defaultDevice, init, jit, numpy as np } from '@jax-js/jax';
import { type FirstResult, size } from './matMul.ts';

export const firstResult: FirstResult = async () => {
  await init('webgpu');
  defaultDevice('webgpu');
  const product = jit((a: np.Array, b: np.Array) => np.matmul(a, b));
  return product(np.ones([size, size]), np.ones([size, size])).data();
};
