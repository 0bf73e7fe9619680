/**
 * @file Loads every module that defines kernels, and exports the kernels, their catalog, and a function that composes their
 * modules.
 */
import { faultLibrary } from '../../shaders/lib/fault.ts';
import * as math from '../../shaders/lib/math.ts';
import { provide } from '../../src/kernels/loading/lazyGpuKernels.ts';
import { type KernelOptions, moduleSource } from '../../src/webgpu/kernel.ts';
import { catalog } from './catalog.ts';
import { kernels } from './registeringKernel.ts';

import.meta.glob(['../../src/kernels/**/*.ts', '../../src/keras/optimizers/*.ts'], { eager: true });

provide();

// A function of shaders/lib/math is declared in a shader once its wrapper has been called: options may refer to any of them.
for (const exported of Object.values(math)) {
  if (typeof exported === 'function' && 'wgslName' in exported) exported();
}

export { catalog, kernels };

/** Returns the complete WGSL module of a kernel. */
export function sourceOf(name: string, options: KernelOptions): string {
  const kernel = kernels.find((other) => other.name === name);
  if (!kernel) throw new Error(`no module defines a kernel '${name}'`);
  return moduleSource(kernel, options, faultLibrary);
}
