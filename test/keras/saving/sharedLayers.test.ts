/**
 * @file Layers that a model has in several places, in files of Keras (test/keras/interop/shared_layers.py made them) and in those
 * that are written here: one layer, with one set of weights.
 */
import fs from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bytesSource } from '../../../src/formats/byteSource.ts';
import { openKerasArchive } from '../../../src/formats/keras/index.ts';
import { ZipArchive } from '../../../src/formats/zip/index.ts';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, cloneModel, input, layers, model, sequential } from '../../../src/keras/index.ts';
import type { Loose } from '../json/support.ts';

const folder = new URL('../../fixtures/keras/shared/', import.meta.url);
const read = (file: string) => fs.readFileSync(new URL(file, folder));
const names = fs.readdirSync(folder).flatMap((file) => /^(.*)\.keras$/.exec(file)?.[1] ?? []);

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

interface Packed {
  readonly shape: number[];
  readonly data: number[];
}

async function requireOutputs(net: Loose, inputs: readonly Packed[], outputs: readonly Packed[]) {
  const given = inputs.map(({ data, shape }) => tensor(data, { shape }));
  const computed: Tensor[] = [net.apply(given.length === 1 ? given[0] : given)].flat();
  for (const [i, output] of computed.entries())
    for (const [j, value] of (await output.data()).entries())
      expect(value).toBeCloseTo(outputs[i]?.data[j] as number, 5);
}

async function saved(net: Loose): Promise<Uint8Array<ArrayBuffer>> {
  const target = new BytesTarget();
  await net.save(target);
  return target.bytes as Uint8Array<ArrayBuffer>;
}

async function configIn(bytes: Uint8Array<ArrayBuffer>): Promise<Loose> {
  const archive = await openKerasArchive(await ZipArchive.open(bytesSource(bytes, 'model.keras')));
  return JSON.parse(archive.config);
}

/** Descriptions of the layer `name`, wherever they are. */
function descriptionsOf(name: string, value: Loose): Loose[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = value.class_name !== undefined && value.config?.name === name ? [value] : [];
  return [...own, ...Object.values(value).flatMap((item) => descriptionsOf(name, item))];
}

test.each(names)('%s of Keras is read, and read again from what is written', async (name) => {
  const { weights, inputs, outputs } = JSON.parse(read(`${name}.json`).toString());
  const first = await loadModel(read(`${name}.keras`));
  const second = await loadModel(await saved(first));
  for (const net of [first, second]) {
    expect(net.weights.length).toBe(weights);
    await requireOutputs(net, inputs, outputs);
    net.dispose();
  }
});

describe('a layer in several places', () => {
  const build = () => {
    const c = input({ shape: [4], name: 'c' });
    const shared = layers.dense({ units: 4, name: 'shared' });
    const h = shared.apply(shared.apply(c));
    const graph = model({ inputs: c, outputs: layers.dense({ units: 2 }).apply(h), name: 'graph' });
    const stack = sequential({ layers: [input({ shape: [4] }), shared, layers.reLU()], name: 'stack' });
    const [a, b] = [input({ shape: [4] }), input({ shape: [4] })];
    return model({ inputs: [a, b], outputs: [graph.apply(a), graph.apply(stack.apply(b))] });
  };

  test('has one id, and calls numbered as Keras counts them: those in all models together', async () => {
    const config = await configIn(await saved(build()));
    const found = descriptionsOf('shared', config);
    expect(found.map((layer) => layer.shared_object_id)).toEqual([1, 1]);
    // Keras builds the stack twice as it adds its two layers, and calls this one each time.
    const calls = found.flatMap((layer) => layer.inbound_nodes ?? []);
    expect(calls.map(({ args }) => args[0].config.keras_history)).toEqual([
      ['c', 0, 0],
      ['shared', 2, 0],
    ]);
    expect(descriptionsOf('graph', config).map((layer) => layer.shared_object_id)).toEqual([undefined]);
  });

  test('is one layer in a clone', () => {
    const net = build();
    expect(cloneModel(net as never).weights.length).toBe(net.weights.length);
  });

  test('may be twice in a row', async () => {
    const shared = layers.dense({ units: 4, name: 'shared' });
    const net = sequential([input({ shape: [4] }), shared, layers.reLU(), shared]);
    const x = { shape: [1, 4], data: [1, -2, 3, 0.5] };
    const wanted = net.apply(tensor(x.data, { shape: x.shape }));
    const again = await loadModel(await saved(net));
    expect(again.weights.length).toBe(2);
    await requireOutputs(again, [x], [{ shape: [1, 4], data: [...(await wanted.data())] }]);
  });

  test('may be the forward layer of a Bidirectional', async () => {
    const x = input({ shape: [5, 3] });
    const both = layers.bidirectional({ layer: layers.lstm({ units: 2 }), name: 'both' });
    const ends = [both.apply(x), both.forwardLayer.apply(x)];
    // Before the wrapper and after it.
    for (const outputs of [ends, [...ends].reverse()]) {
      const net = model({ inputs: x, outputs: outputs as never }) as Loose;
      const value = { shape: [1, 5, 3], data: Array.from({ length: 15 }, (_, i) => Math.sin(i)) };
      const wanted = net.apply(tensor(value.data, { shape: value.shape }));
      const packed = await Promise.all(
        wanted.map(async (y: Tensor) => ({ shape: [...y.shape], data: [...(await y.data())] })),
      );
      for (const again of [await loadModel(await saved(net)), cloneModel(net as never)]) {
        expect(again.weights.length).toBe(6);
        if (again.weights[0]?.origin?.kind === 'loaded') await requireOutputs(again, [value], packed);
        again.dispose();
      }
    }
  });

  test('is not taken for another that has the same name', async () => {
    const inner = () =>
      sequential({
        layers: [input({ shape: [4] }), layers.dense({ units: 4, name: 'same' })],
        name: 'inner',
      });
    const around = (name: string, layer: Loose) =>
      sequential({ layers: [input({ shape: [4] }), layer, layers.reLU()], name });
    const a = input({ shape: [4] });
    const twice = inner();
    const ends = [around('p', twice), around('q', twice), around('r', inner())].map((net) => net.apply(a));
    const net = model({ inputs: a, outputs: ends });
    const again = await loadModel(await saved(net));
    expect(again.weights.length).toBe(4);
  });
});
