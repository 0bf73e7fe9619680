/** @file Loads VGG19 in Node, like page.ts in a page. */
import { create, globals } from 'webgpu';
import { init } from '../../src/index.ts';
import { applications } from '../../src/keras/index.ts';

Object.assign(globalThis, globals);
// Node 20 has no navigator.
Object.defineProperty(globalThis, 'navigator', { value: { gpu: create([]) }, configurable: true });

export { init };

export async function loadPath(path: string) {
  const net = applications.vgg19({ weights: null });
  let shown = 0;
  const { loaded } = await net.loadWeights(path, { onProgress: () => shown++ });
  return { shown, loaded: loaded.length };
}
