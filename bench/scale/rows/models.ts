/** @file Models of n layers: building, tracing, reading and writing them. */
import { type Tensor, tensor, variable } from '../../../src/index.ts';
import { BytesTarget, FilesTarget, loadModel, loadTensors, saveTensors } from '../../../src/io/index.ts';
import {
  cloneModel,
  type Functional,
  input,
  layers,
  model,
  modelToJSON,
  sequential,
} from '../../../src/keras/index.ts';
import type { ScaleRow } from '../scaleRow.ts';

const unit = 'layers';
const times = <T>(n: number, body: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => body(i));

function dense() {
  return layers.dense({ units: 2 });
}

/** A functional model of n dense layers in a row. */
function chain(n: number): Functional {
  const x = input({ shape: [2] });
  let y = x;
  for (let i = 0; i < n; i++) y = dense().apply(y) as typeof x;
  return model({ inputs: x, outputs: y });
}

/** Blocks with a residual connection each. */
function residual(n: number): Functional {
  const x = input({ shape: [2] });
  let y = x;
  for (let i = 0; i < n; i++) y = layers.add().apply([y, dense().apply(y) as typeof x]) as typeof x;
  return model({ inputs: x, outputs: y });
}

/** n layers that read one tensor, and one that reads them all. */
function wide(n: number): Functional {
  const x = input({ shape: [2] });
  return model({
    inputs: x,
    outputs: layers.add().apply(times(n, () => dense().apply(x) as typeof x)) as typeof x,
  });
}

/** One layer that is called n times. */
function shared(n: number): Functional {
  const x = input({ shape: [2] });
  const layer = dense();
  let y = x;
  for (let i = 0; i < n; i++) y = layer.apply(y) as typeof x;
  return model({ inputs: x, outputs: y });
}

/** Models inside models, n deep. */
function nested(n: number): Functional {
  let inner = chain(1);
  for (let level = 1; level < n; level++) {
    const x = input({ shape: [2] });
    inner = model({ inputs: x, outputs: dense().apply(inner.apply(x) as typeof x) as typeof x });
  }
  return inner;
}

async function saved(net: Functional): Promise<Uint8Array<ArrayBuffer>> {
  const target = new BytesTarget();
  await net.save(target);
  return target.bytes;
}

const kinds = { 'in a row': chain, 'with residual connections': residual, 'in parallel': wide };

const perKind = Object.entries(kinds).flatMap(([name, make]): ScaleRow[] => [
  { name: `build, layers ${name}`, unit, from: 500, short: 50, prepare: (n) => () => make(n) },
  {
    name: `trace, layers ${name}`,
    unit,
    from: 500,
    short: 50,
    prepare: (n) => {
      const [net, x] = [make(n), input({ shape: [2] })];
      return () => net.apply(x);
    },
  },
  {
    name: `call, layers ${name}`,
    unit,
    from: 500,
    short: 50,
    prepare: (n) => {
      const [net, x] = [make(n), tensor([1, 2], [1, 2])];
      return () => net.apply(x);
    },
  },
  {
    name: `loadModel, layers ${name}`,
    unit,
    from: 250,
    short: 50,
    prepare: async (n) => {
      const bytes = await saved(make(n));
      return () => loadModel(bytes);
    },
  },
  {
    name: `save, layers ${name}`,
    unit,
    from: 250,
    short: 50,
    prepare: (n) => {
      const net = make(n);
      return () => saved(net);
    },
  },
]);

/** Work on a model of n layers, from `from` layers. */
function onModel(
  name: string,
  from: number,
  make: (n: number) => Functional,
  run: (net: Functional) => unknown,
): ScaleRow {
  const prepare = (n: number) => {
    const net = make(n);
    return () => run(net);
  };
  return { name, unit, from, short: 50, prepare };
}

export const modelRows: readonly ScaleRow[] = [
  ...perKind,
  {
    name: 'build, a sequential model',
    unit,
    from: 500,
    short: 50,
    prepare: (n) => () => {
      const net = sequential(times(n, dense));
      net.build([null, 2]);
      return net;
    },
  },
  {
    name: 'build, a sequential model layer by layer',
    unit,
    from: 500,
    short: 100,
    prepare: (n) => () => {
      const net = sequential([input({ shape: [2] })]);
      for (const layer of times(n, dense)) net.add(layer);
      return net.layers;
    },
  },
  {
    name: 'build, one layer called many times',
    unit: 'calls',
    from: 500,
    short: 50,
    prepare: (n) => () => shared(n),
  },
  {
    name: 'build, models inside models',
    unit: 'levels',
    from: 25,
    to: 400,
    short: 8,
    prepare: (n) => () => nested(n),
  },
  {
    name: 'loadModel, models inside models',
    unit: 'levels',
    from: 6,
    // Files nest four levels of JSON for each, and at most 200.
    to: 48,
    short: 8,
    prepare: async (n) => {
      const bytes = await saved(nested(n));
      return () => loadModel(bytes);
    },
  },
  {
    name: 'loadModel, one layer called many times',
    unit: 'calls',
    from: 250,
    short: 50,
    prepare: async (n) => {
      const bytes = await saved(shared(n));
      return () => loadModel(bytes);
    },
  },
  {
    name: 'save and loadModel, a layers model of TF.js',
    unit,
    from: 250,
    short: 50,
    prepare: (n) => {
      const net = chain(n);
      return async () => {
        const target = new FilesTarget();
        await net.save(target, { format: 'tfjs' });
        return loadModel(target.files);
      };
    },
  },
  onModel('summary', 500, residual, (net) => net.summary()),
  onModel('cloneModel', 250, residual, (net) => cloneModel(net)),
  onModel('modelToJSON', 250, residual, (net) => modelToJSON(net)),
  onModel('weights: listed, read and set', 250, chain, async (net) => net.setWeights(await net.getWeights())),
  {
    name: 'saveWeights and loadWeights',
    unit,
    from: 250,
    short: 50,
    prepare: (n) => {
      const net = chain(n);
      return async () => {
        const target = new BytesTarget();
        await net.saveWeights(target);
        await net.loadWeights(target.bytes);
      };
    },
  },
  {
    name: 'saveTensors and loadTensors',
    unit: 'tensors',
    from: 500,
    short: 100,
    prepare: (n) => {
      const named = Object.fromEntries(times(n, (i) => [`t${i}`, variable(tensor([i, i]))]));
      return async () => loadTensors(await saveTensors(named));
    },
  },
  {
    name: 'readbacks at once',
    unit: 'tensors',
    from: 500,
    short: 100,
    prepare: (n) => {
      const tensors = times(n, (i): Tensor => tensor([i, i]));
      return () => Promise.all(tensors.map((t) => t.data()));
    },
  },
  {
    name: 'readbacks one after the other',
    unit: 'tensors',
    from: 500,
    short: 100,
    prepare: (n) => {
      const tensors = times(n, (i): Tensor => tensor([i, i]));
      return async () => {
        for (const t of tensors) await t.data();
      };
    },
  },
  {
    name: 'tensors made and freed',
    unit: 'tensors',
    from: 8000,
    short: 500,
    prepare: (n) => () => {
      for (const t of times(n, (i): Tensor => tensor([i, i]))) t.dispose();
      return times(n, (i): Tensor => tensor([i, i]));
    },
  },
];
