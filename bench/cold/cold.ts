/**
 * @file A page that loads one library, given in its address (`?library=tfjs`), and computes one matmul, from the import to
 * the values. Reports the time to the script that drives the page, or to the page that embeds it.
 */
import type { Library } from '../job.ts';
import { type FirstResult, size } from './matMul.ts';

const loaders: Record<Library, () => Promise<{ firstResult: FirstResult }>> = {
  retrograd: () => import('./retrograd.ts'),
  tfjs: () => import('./tfjs.ts'),
  jaxjs: () => import('./jaxjs.ts'),
  ort: () => import('./ort.ts'),
};

export interface ColdStart {
  library: Library;
  milliseconds?: number;
  fault?: string;
}

declare global {
  var coldStart: ColdStart | undefined;
}

const library = new URLSearchParams(location.search).get('library') as Library;
const start = performance.now();
try {
  const { firstResult } = await loaders[library]();
  const values = await firstResult();
  const milliseconds = performance.now() - start;
  const right = values.length === size * size && [0, size * size - 1].every((i) => values[i] === size);
  globalThis.coldStart = right
    ? { library, milliseconds }
    : { library, fault: `wrong: ${values[0]} for ${size}` };
} catch (error) {
  globalThis.coldStart = { library, fault: `failed: ${error instanceof Error ? error.message : error}` };
}
if (parent !== window) parent.postMessage({ coldStart: globalThis.coldStart }, location.origin);
