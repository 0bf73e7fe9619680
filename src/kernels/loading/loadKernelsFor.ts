/** @file Loads the kernels that a kind of adapter needs besides the core. */
import { lazyImport } from '../../core/lazyImport.ts';
import type { AdapterKind } from '../../webgpu/adapter.ts';

/**
 * Loads what the profile of `kind` may select, unless it is loaded already. The kind alone decides, so that no profile must be
 * loaded first. Errors: DeviceError if the module can't be loaded. Calling it again retries.
 */
export async function loadKernelsFor(kind: AdapterKind): Promise<void> {
  // Bundlers see by the member access that the rest of a module isn't read.
  const provide = await (kind === 'software'
    ? lazyImport(
        'the kernels of software adapters',
        async () => (await import('./lazySoftwareKernels.ts')).provide,
      )
    : lazyImport('the kernels of GPUs', async () => (await import('./lazyGpuKernels.ts')).provide));
  provide();
}
