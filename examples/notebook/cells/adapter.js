import { init } from 'retrograd';
import { table } from 'notebook';

const { adapter, limits } = await init();

/** A software adapter computes on the CPU, so it gets less work. */
export const modest = adapter.class === 'cpu';

table([
  {
    adapter:
      [adapter.vendor, adapter.architecture, adapter.description]
        .filter(Boolean)
        .join(' ') || 'unnamed',
    kind: modest ? 'software, on the processor' : 'GPU',
    'largest buffer': `${Math.round(limits.maxBufferSize / 2 ** 20)} MiB`,
    'invocations a workgroup': limits.maxComputeInvocationsPerWorkgroup,
  },
]);
