/** @file The transformer of test/fixtures/peft/make.py, its weights, and the modules that its layers are. */
import fs from 'node:fs';
import { type Tensor, tensor, tidy } from '../../src/index.ts';
import { readSafetensors } from '../../src/io/index.ts';
import { input, layers, model, ops } from '../../src/keras/index.ts';

export const peftFolder = new URL('../fixtures/peft/', import.meta.url);

export const peftModules = {
  'attention_*/query': { module: 'h.*.c_attn', part: 0 },
  'attention_*/key': { module: 'h.*.c_attn', part: 1 },
  'attention_*/value': { module: 'h.*.c_attn', part: 2 },
  'attention_*/attention_output': 'h.*.c_proj',
  'up_*': 'h.*.up',
  'down_*': 'h.*.down',
  wte: 'wte',
  conv: 'conv',
  ln_f: 'ln_f',
  head: 'head',
};

export const peftIds = () =>
  tensor(
    [
      [1, 2, 9, 0, 4],
      [3, 3, 5, 7, 8],
    ],
    { dtype: 'int32' },
  );

/** Values that differ for each `seed`. */
export function peftValues(shape: readonly number[], seed: number): Tensor {
  const length = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length }, (_, i) => ((i * (seed + 3) * 0.37) % 1) - 0.5),
    { shape },
  );
}

/** Returns the model with the weights of base.safetensors. */
export function peftNet() {
  const ids = input({ shape: [5], dtype: 'int32' });
  let x = layers.embedding({ inputDim: 10, outputDim: 8, name: 'wte' }).apply(ids);
  for (const i of [0, 1]) {
    const attention = layers.multiHeadAttention({ numHeads: 2, keyDim: 4, name: `attention_${i}` });
    x = ops.add(x, attention.apply([x, x], { useCausalMask: true })) as never;
    const wide = layers.dense({ units: 12, activation: 'tanh', name: `up_${i}` }).apply(x);
    x = ops.add(x, layers.dense({ units: 8, name: `down_${i}` }).apply(wide)) as never;
  }
  x = layers.conv1d({ filters: 6, kernelSize: 3, padding: 'same', name: 'conv' }).apply(x);
  x = layers.layerNormalization({ epsilon: 1e-5, name: 'ln_f' }).apply(x);
  const net = model({
    inputs: ids,
    outputs: layers.dense({ units: 10, name: 'head' }).apply(x),
    name: 'net',
  });
  const { tensors } = readSafetensors(fs.readFileSync(new URL('base.safetensors', peftFolder)));
  for (const weight of net.weights) weight.assign(tidy(() => valueAt(weight.path, weight.shape, tensors)));
  return net;
}

function valueAt(
  path: string,
  shape: readonly number[],
  tensors: ReturnType<typeof readSafetensors>['tensors'],
): Tensor {
  const read = (name: string) => {
    const found = tensors.get(name);
    if (!found) throw new Error(`no ${name}`);
    return tensor(found.data as Float32Array, { shape: found.shape });
  };
  const [layer = '', ...rest] = path.split('/');
  const block = layer.replace(/^\w+?_(?=\d)/, '');
  const last = rest.at(-1) === 'bias' || rest.at(-1) === 'beta' ? 'bias' : 'weight';
  const reshape = (x: Tensor) => ops.reshape(x, { shape }) as Tensor;
  if (layer.startsWith('attention')) {
    const part = ['query', 'key', 'value'].indexOf(rest[0] as string);
    if (part < 0) return reshape(read(`h.${block}.c_proj.${last}`));
    const fused = read(`h.${block}.c_attn.${last}`);
    return reshape(ops.split(fused, 3, -1)[part] as Tensor);
  }
  const module = layer.startsWith('up')
    ? `h.${block}.up`
    : layer.startsWith('down')
      ? `h.${block}.down`
      : layer;
  const value = read(`${module}.${last}`);
  return rest.at(-1) === 'kernel' ? (ops.transpose(value) as Tensor) : value;
}
