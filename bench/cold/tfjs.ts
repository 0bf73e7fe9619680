/** @file TF.js's first result. */
import { matMul, ones, ready, setBackend } from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-webgpu';
import { type FirstResult, size } from './matMul.ts';

export const firstResult: FirstResult = async () => {
  await setBackend('webgpu');
  await ready();
  return (await matMul(ones([size, size]), ones([size, size])).data()) as Float32Array;
};
