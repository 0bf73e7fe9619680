/** @file Retrograd's first result. */
import { init, matMul, ones } from 'retrograd';
import { type FirstResult, size } from './matMul.ts';

export const firstResult: FirstResult = async () => {
  await init();
  return matMul(ones([size, size]), ones([size, size])).data();
};
