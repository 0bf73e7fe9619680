/** @file Loads the kernels that a kind of adapter needs besides the core. */
import { lazyImport } from '../core/lazyImport.ts';
import type { AdapterKind } from '../webgpu/adapter.ts';

/**
 * Loads what the profile of `kind` may select, unless it is loaded already. The kind alone decides, so that no profile must be
 * loaded first. Errors: DeviceError if the module can't be loaded. Calling it again retries.
 */
export async function loadKernelsFor(kind: AdapterKind): Promise<void> {
  if (kind === 'software') return;
  const provide = await lazyImport(
    'the kernels of GPUs',
    // Bundlers see by the member access that the rest of the module isn't read.
    async () => (await import('./lazyGpuKernels.ts')).provide,
  );
  provide();
}
