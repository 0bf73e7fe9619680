import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pageModules } from '../../scripts/inspector-page.mjs';
import { init, tensor } from '../../src/index.ts';
import { inspector } from '../../src/inspect/index.ts';
import { graphOf } from '../../src/inspect/page/graphModel.ts';
import { type Box, layOut, type Link } from '../../src/inspect/page/layout.ts';
import { input, layers, model } from '../../src/keras/index.ts';
import { asAdapter } from '../support/adapterClass.ts';

test('script and style of the page are as generated', async () => {
  for (const [name, text] of Object.entries(await pageModules())) {
    const file = new URL(`../../src/inspect/page/generated/${name}`, import.meta.url);
    expect(fs.readFileSync(file, 'utf8'), `run node scripts/inspector-page.mjs: ${name}`).toBe(text);
  }
});

describe('the layout of a graph', () => {
  const boxes = (count: number): Box[] =>
    Array.from({ length: count }, (_, i) => ({
      id: `${i}`,
      width: 60 + (i % 5) * 30,
      height: 30 + (i % 3) * 20,
    }));

  test('has no overlaps, and links run downwards from box to box', () => {
    const all = boxes(120);
    // Blocks of two branches with a residual link, as in a transformer.
    const links: Link[] = all.flatMap((_, i) => {
      const to = (j: number) => (j < all.length ? [{ from: `${i}`, to: `${j}` }] : []);
      return i % 4 === 0 ? [...to(i + 1), ...to(i + 2), ...to(i + 4)] : to(i - (i % 4) + 4);
    });
    const { at, routes, width, height } = layOut(all, links);
    const placed = all.map((box) => ({ ...box, ...(at.get(box.id) as { x: number; y: number }) }));
    for (const a of placed) {
      expect(a.x).toBeGreaterThanOrEqual(-1e-6);
      expect(a.x + a.width).toBeLessThanOrEqual(width + 1e-6);
      expect(a.y + a.height).toBeLessThanOrEqual(height + 1e-6);
      for (const b of placed) {
        if (a.id === b.id) continue;
        const apart =
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
        expect(apart, `${a.id} and ${b.id}`).toBe(true);
      }
    }
    expect(routes).toHaveLength(links.length);
    for (const { points } of routes)
      points.slice(1).forEach(([, y], i) => {
        expect(y).toBeGreaterThanOrEqual((points[i] as readonly [number, number])[1]);
      });
  });

  test('puts a chain into one column, and nothing into nothing', () => {
    const chain = boxes(4);
    const { at } = layOut(
      chain,
      chain.slice(1).map(({ id }, i) => ({ from: `${i}`, to: id })),
    );
    const centres = chain.map(({ id, width }) => (at.get(id)?.x ?? 0) + width / 2);
    for (const centre of centres) expect(centre).toBeCloseTo(centres[0] as number, 6);
    expect(layOut([], [])).toMatchObject({ width: 0, height: 0 });
  });
});

describe('the report of a transformer block', () => {
  const reported = async () => {
    await init();
    const ids = input({ shape: [6], dtype: 'int32' });
    const seen = layers.embedding({ inputDim: 8, outputDim: 8, name: 'tokens' }).apply(ids);
    const attended = layers
      .multiHeadAttention({ numHeads: 2, keyDim: 4, name: 'attention' })
      .apply([seen, seen], { useCausalMask: true });
    const net = model({
      inputs: ids,
      outputs: layers.dense({ units: 8, activation: 'softmax' }).apply(attended),
      name: 'gpt',
    });
    net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });
    const x = tensor([[0, 1, 2, 3, 4, 5]], { dtype: 'int32' });
    const report = await inspector({ featureMaps: 0 })(net, x, x);
    net.dispose();
    return report.toJSON();
  };

  test('has masks in the layer that makes them, and at the top only the data', async () => {
    await init();
    // Attention by matrix products makes its causal mask; the fused kernel, which GPUs select, needs none.
    const data = await asAdapter('cpu', reported);
    const root = graphOf(data, { direction: 'forward', all: false });
    expect(
      root.children.filter(({ kind }) => kind === 'input').map((node) => 'title' in node && node.title),
    ).toEqual(['input']);
    const [net] = root.children.flatMap((node) => (node.kind === 'layer' ? [node] : []));
    const attention = net?.children.find((node) => node.kind === 'layer' && node.layer.name === 'attention');
    if (attention?.kind !== 'layer') throw new Error('the graph lacks the attention');
    const constants = attention.children.filter(({ kind }) => kind === 'input');
    expect(constants.length).toBeGreaterThan(0);
    for (const { id } of constants) expect(attention.links.some(({ from }) => from === id)).toBe(true);
  });

  test('explains all of the peak of memory', async () => {
    const { memory } = await reported();
    const held = memory.allocations.filter(({ atPeak }) => atPeak);
    expect(memory.before + held.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(memory.peak);
    expect(held.length).toBeGreaterThan(0);
  });
});
