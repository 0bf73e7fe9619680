/**
 * @file `src/webgpu/kernel.ts` with a list of all kernels that are defined: what the modules of the library import in its
 * place where shaders are printed (./kernels.mjs). The library itself keeps no such list, so that bundlers can drop the
 * kernels that an app doesn't use.
 */
import { defineKernel as define, type Kernel } from '../../src/webgpu/kernel.ts';

export * from '../../src/webgpu/kernel.ts';

export const kernels: Kernel[] = [];

export const defineKernel: typeof define = (definition) => {
  const kernel = define(definition);
  kernels.push(kernel as unknown as Kernel);
  return kernel;
};
