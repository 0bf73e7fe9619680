/**
 * @file Loads the core kernels and the implementation of devices while the browser opens a device, since nothing can be launched
 * earlier.
 */
import { DeviceError } from '../../core/errors.ts';
import { lazyImport } from '../../core/lazyImport.ts';
import { getDevice } from '../../webgpu/current.ts';
import type * as CoreKernels from './coreKernels.ts';

let loaded: typeof CoreKernels | undefined;

/** Errors: DeviceError if the module can't be loaded. Calling it again retries. */
export async function loadKernels(): Promise<typeof CoreKernels> {
  loaded ??= await lazyImport('the kernels', () => import('./coreKernels.ts'));
  return loaded;
}

/** Errors: DeviceError before `init()`. */
export function kernels(): typeof CoreKernels {
  if (loaded) return loaded;
  getDevice();
  throw new DeviceError({
    rule: 'kernels must be loaded before they are launched.',
    received: 'a device that init() did not open',
    hint: 'await init(), or init({ device }), first.',
  });
}
