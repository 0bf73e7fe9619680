/** @file Functions of TensorFlow in graphs of Keras 2, with TensorFlow's values (test/fixtures/keras/tensorflowCalls.py). */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { clearSession, type Functional, modelFromJSON, modelToJSON } from '../../../src/keras/index.ts';
import cases from '../../fixtures/keras/tensorflowCalls.json' with { type: 'json' };

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

interface Written {
  dtype: string;
  shape: number[];
  values: (number | boolean)[];
}

/** A model of Keras 2 with inputs and one call, as TF.js stores it. */
function fileOf(path: string, inputs: Record<string, Written>, call: object, outputs: number): File {
  const layers = Object.entries(inputs).map(([input, { dtype, shape }]) => ({
    class_name: 'InputLayer',
    config: {
      batch_input_shape: [path === 'broadcast_to' ? shape[0] : null, ...shape.slice(1)],
      dtype,
      sparse: false,
      ragged: false,
      name: input,
    },
    name: input,
    inbound_nodes: [],
  }));
  const name = (call as { name: string }).name;
  const ends = Array.from({ length: outputs }, (_, i) => [name, 0, i]);
  const config = {
    name: 'model',
    trainable: true,
    layers: [...layers, call],
    input_layers: Object.keys(inputs).map((input) => [input, 0, 0]),
    output_layers: ends,
  };
  const topology = {
    keras_version: '2.15.0',
    backend: 'tensorflow',
    model_config: { class_name: 'Functional', config },
  };
  return new File(
    [JSON.stringify({ format: 'layers-model', modelTopology: topology, weightsManifest: [] })],
    'model.json',
  );
}

function callOf(name: string, path: string, node: unknown) {
  const isSlice = path.endsWith('getitem');
  return {
    class_name: isSlice ? 'SlicingOpLambda' : 'TFOpLambda',
    config: { name, trainable: true, dtype: 'float32', function: path },
    name,
    // A key of a slice has objects for ranges, as Keras 2 wrote them.
    inbound_nodes: [node],
  };
}

const inputOf = ({ dtype, shape, values }: Written) =>
  tensor(values as number[], { shape, dtype: dtype as 'float32' });

async function expectOutputs(
  net: Functional<never, never>,
  inputs: Record<string, Written>,
  expected: Written[],
) {
  const given = Object.values(inputs).map(inputOf);
  const made = (net as unknown as { apply(x: unknown): Tensor | Tensor[] }).apply(
    given.length === 1 ? given[0] : given,
  );
  const outputs = [made].flat();
  expect(outputs).toHaveLength(expected.length);
  for (const [i, output] of outputs.entries()) {
    const { shape, values } = expected[i] as Written;
    expect(output.shape).toEqual(shape);
    const found = Array.from(await output.data(), Number);
    for (const [k, value] of values.entries())
      expect(Math.abs((found[k] as number) - Number(value)), `value ${k}`).toBeLessThan(
        2e-5 * Math.max(1, Math.abs(Number(value))),
      );
  }
}

type Case = { function: string; inputs: Record<string, Written>; node: unknown; outputs: Written[] };
const titled = (cases as unknown as Case[]).map(
  (one) => [`${one.function} of ${JSON.stringify(one.node)}`, one] as const,
);

describe('calls of TensorFlow', () => {
  test.each(titled)('%s', async (_, { function: path, inputs, node, outputs }) => {
    const name = `tf.${path}`;
    const net = (await loadModel(
      fileOf(path, inputs, callOf(name, path, node), outputs.length),
    )) as Functional<never, never>;
    await expectOutputs(net, inputs, outputs);
    // What Keras 3 opens gives the same model here.
    const stored = modelToJSON(net);
    const again = modelFromJSON(stored) as unknown as Functional<never, never>;
    await expectOutputs(again, inputs, outputs);
    expect(JSON.parse(modelToJSON(again))).toEqual(JSON.parse(stored));
  });

  const x = { dtype: 'float32', shape: [2, 3], values: [1, 2, 3, 4, 5, 6] };
  test.each<[string, unknown]>([
    ['math.bessel_i0', ['x', 0, 0, {}]],
    ['math.cumsum', ['x', 0, 0, { axis: 1, reverse: true }]],
    ['linalg.matmul', ['x', 0, 0, { b: ['x', 0, 0], adjoint_b: true }]],
    ['where', ['x', 0, 0, {}]],
    ['image.resize', ['x', 0, 0, { size: [2, 2], method: 'mitchellcubic' }]],
  ])('rejects %s of %o', async (path, node) => {
    const loaded = loadModel(fileOf(path, { x }, callOf('f', path, node), 1));
    await expect(loaded).rejects.toThrow(`received: tf.${path} in layer 'f'`);
  });
});
