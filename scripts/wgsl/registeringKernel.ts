/**
 * @file `src/webgpu/kernel.ts` with a list of all defined kernels: the library's modules import it instead when shaders are
 * printed (./kernels.mjs). The library itself has no such list, so that bundlers can drop kernels that an app doesn't use.
 */
import { defineKernel as define, type Kernel } from '../../src/webgpu/kernel.ts';

export * from '../../src/webgpu/kernel.ts';

export const kernels: Kernel[] = [];

export const defineKernel: typeof define = (definition) => {
  const kernel = define(definition);
  kernels.push(kernel as unknown as Kernel);
  return kernel;
};
