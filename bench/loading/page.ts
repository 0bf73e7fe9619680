/** @file Loads VGG19 with its top in a page, for scripts/measure-loading.mjs. */
import { init } from '../../src/index.ts';
import { applications } from '../../src/keras/index.ts';

export { init };

/**
 * `how`: from the URL, or as the File that a user would drop. Returns how often progress was reported, and the first weight's
 * sum.
 */
export async function load(url: string, how: 'url' | 'file') {
  const source = how === 'url' ? url : await asFile(url);
  const net = applications.vgg19({ weights: null });
  let shown = 0;
  const onProgress = () => {
    shown++;
  };
  const { loaded } = await net.loadWeights(source, { onProgress });
  const values = await (net.weights[0] as (typeof net.weights)[0]).data();
  return {
    shown,
    loaded: loaded.length,
    sum: Array.from(values).reduce((sum, value) => sum + Math.abs(value), 0),
  };
}

/** Stored on disk by the browser, like a user's file. */
async function asFile(url: string): Promise<File> {
  const root = await navigator.storage.getDirectory();
  const name = new URL(url).pathname.split('/').at(-1) as string;
  const handle = await root.getFileHandle(name, { create: true });
  await (await fetch(url)).body?.pipeTo(await handle.createWritable());
  return handle.getFile();
}
