/** @file Trained layers models of TF.js, compared with TF.js: `npm run test:tfjs`, which fetches them. */
import fs from 'node:fs';
import path from 'node:path';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, test } from 'vitest';
import { init, randomUniform, type Tensor } from '../../../src/index.ts';
import { FilesTarget, loadModel } from '../../../src/io/index.ts';

const folder = process.env.RETROGRAD_TFJS_MODELS;

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});

/** Returns the model that TF.js reads, from files by name. */
async function inTfjs(read: (name: string) => Promise<ArrayBuffer>): Promise<tfl.LayersModel> {
  const json = JSON.parse(new TextDecoder().decode(await read('model.json'))) as tf.io.ModelJSON;
  const load = async (manifest: tf.io.WeightsManifestConfig) => {
    const shards = await Promise.all(manifest.flatMap(({ paths }) => paths).map(read));
    const specs = manifest.flatMap(({ weights }) => weights);
    return [specs, await new Blob(shards).arrayBuffer()] as [tf.io.WeightsManifestEntry[], ArrayBuffer];
  };
  return tfl.loadLayersModel({ load: () => tf.io.getModelArtifactsForJSON(json, load) });
}

describe.runIf(folder)('predictions of', () => {
  test.each(['mobilenet_v2', 'inception_v3'])('%s', { timeout: 300_000 }, async (name) => {
    const at = path.join(folder as string, name);
    const net = await loadModel(at);
    const theirs = await inTfjs(async (file) => new Uint8Array(fs.readFileSync(path.join(at, file))).buffer);
    const [, ...sizes] = (theirs.inputs[0] as tfl.SymbolicTensor).shape as number[];
    const x = randomUniform([1, ...sizes], { seed: 1 });
    const run = (made: typeof net) => (made as unknown as { apply(x: Tensor): Tensor }).apply(x).data();
    const found = await run(net);
    const given = tf.tensor(await x.data(), x.shape as number[]);
    const expected = (theirs.predict(given) as tf.Tensor).dataSync();
    const furthest = (values: ArrayLike<number>) =>
      Math.max(...Array.from(expected, (value, i) => Math.abs(value - (values[i] as number))));
    expect(furthest(found as Float32Array)).toBeLessThan(1e-4);
    // And back; TF.js takes minutes for the larger one on a CPU.
    if (name === 'mobilenet_v2') expect(furthest(await saved(net, given))).toBeLessThan(1e-5);
    for (const made of [net, theirs]) made.dispose();
  });
});

/** TF.js's predictions from the files that are written here. */
async function saved(net: Awaited<ReturnType<typeof loadModel>>, x: tf.Tensor) {
  const target = new FilesTarget();
  await net.save(target);
  const read = (name: string) => (target.files.find((file) => file.name === name) as File).arrayBuffer();
  const back = await inTfjs(read);
  const values = (back.predict(x) as tf.Tensor).dataSync();
  back.dispose();
  return values;
}
