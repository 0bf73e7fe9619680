import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  add,
  FormatError,
  init,
  mul,
  relu,
  type Tensor,
  tensor,
  UnsafeModelError,
  ValueError,
  type Variable,
} from '../../../src/index.ts';
import {
  clearSession,
  Functional,
  type FromJSONOptions,
  input,
  Layer,
  layers,
  losses,
  model,
  modelFromJSON,
  modelToConfig,
  modelToJSON,
  registerClass,
  Sequential,
  sequential,
} from '../../../src/keras/index.ts';
import type { OpenShape } from '../../../src/core/shape.ts';
import { changed, configOf, fixtureNames, type Loose } from '../json/support.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

function withoutCompile(document: Loose): Loose {
  const { compile_config: _, ...rest } = document;
  return rest;
}

describe('models written by Keras', () => {
  for (const name of fixtureNames.filter((known) => known !== 'lambda_model')) {
    test(`${name} is read, and written as it was`, () => {
      const made = modelFromJSON(configOf(name));
      expect(withoutCompile(JSON.parse(modelToJSON(made)))).toEqual(
        withoutCompile(JSON.parse(configOf(name))),
      );
      made.dispose();
    });
  }

  test('the options of compile, by name', () => {
    const compiled = (name: string) => JSON.parse(configOf(name)).compile_config;
    const written = (name: string, options: Loose) => {
      const made = modelFromJSON(configOf(name));
      made.compile(options);
      return (modelToConfig(made) as Loose).compile_config;
    };
    expect(written('mlp_classifier', { loss: 'categoricalCrossentropy', metrics: ['accuracy'] })).toEqual(
      compiled('mlp_classifier'),
    );
    const several = { loss: ['binary_crossentropy', 'mse'], lossWeights: [1, 0.5] };
    expect(written('functional_shared', several)).toEqual(compiled('functional_shared'));
    const { loss } = written('nested', { loss: losses.meanSquaredError() });
    expect(loss).toEqual({
      module: 'keras.losses',
      class_name: 'MeanSquaredError',
      config: { name: 'mean_squared_error', reduction: 'sum_over_batch_size' },
      registered_name: null,
    });
    expect(written('nested', { loss: (yTrue: Tensor) => yTrue })).toEqual({});
  });

  test('Python code is rejected, unless its layer is given a function', async () => {
    expect(() => modelFromJSON(configOf('lambda_model'))).toThrow(UnsafeModelError);
    expect(() => modelFromJSON(configOf('lambda_model'))).toThrow(/layer 'code'[\s\S]*lambdas: \{ "code"/);
    const twice = (x: Tensor) => mul(x, 2);
    const made = modelFromJSON(configOf('lambda_model'), { lambdas: { code: twice } });
    expect((made.apply(tensor([[1, 2, 3, 4]])) as Tensor).shape).toEqual([1, 2]);
    registerClass(twice, { package: 'tests', name: 'twice' });
    const again = modelFromJSON(modelToJSON(made));
    expect((again.getLayer('code') as layers.Lambda).function).toBe(twice);
    class Doubling extends Layer {
      static override readonly className: string = 'Doubling';
      override call(x: Tensor): Tensor {
        return add(x, x);
      }
    }
    const replaced = modelFromJSON(
      changed((document) => {
        Object.assign(document.config.layers[2], { class_name: 'Doubling', config: { name: 'code' } });
      }, 'lambda_model'),
      { customObjects: { Doubling } },
    );
    expect(replaced.getLayer('code')).toBeInstanceOf(Doubling);
  });

  test('models in models, shared layers and several calls', async () => {
    const x = input({ shape: [4], name: 'x' });
    const inner = input({ shape: [4], name: 'inner_x' });
    const encoder = model({
      inputs: inner,
      outputs: layers.dense({ units: 4, name: 'encode' }).apply(inner),
      name: 'encoder',
    });
    const decoder = sequential({
      layers: [input({ shape: [4] }) as never, layers.dense({ units: 4 })],
      name: 'decoder',
    });
    const once = decoder.apply(encoder.apply(x) as never);
    const twice = decoder.apply(encoder.apply(once as never) as never);
    const merged = layers.average({ name: 'blend' }).apply([once, twice] as never);
    const made = model({
      inputs: x,
      outputs: [merged, encoder.apply(merged as never)] as never,
      name: 'outer',
    });
    const document = modelToConfig(made as never) as Loose;
    expect(document.config.output_layers).toEqual([
      ['blend', 0, 0],
      ['encoder', 3, 0],
    ]);
    const again = modelFromJSON(JSON.parse(JSON.stringify(document)));
    expect(again.getLayer('encoder')).toBeInstanceOf(Functional);
    expect(again.getLayer('decoder')).toBeInstanceOf(Sequential);
    expect(again.getLayer('encoder').inboundNodes).toHaveLength(3);
    expect(modelToConfig(again)).toEqual(document);
    again.setWeights(made.weights as Tensor[]);
    const value = tensor([[1, -2, 3, 4]]);
    const read = async (net: Loose) => Promise.all(net.apply(value).map((output: Tensor) => output.array()));
    expect(await read(again)).toEqual(await read(made));
  });

  test('inputs and outputs by name, options of calls, masks', () => {
    const ids = input({ shape: [5], dtype: 'int32', name: 'ids' });
    const start = input({ shape: [3], name: 'start' });
    const embedded = layers.embedding({ inputDim: 7, outputDim: 3, maskZero: false }).apply(ids);
    const states = layers
      .gru({ units: 3, returnSequences: true, name: 'gru' })
      .apply(embedded, { initialState: start });
    const dropped = layers.dropout({ rate: 0.5, name: 'drop' }).apply(states as never, { training: true });
    const made = model({ inputs: { ids, start } as never, outputs: { out: dropped } as never });
    const document = JSON.parse(modelToJSON(made as never)) as Loose;
    const callOf = (name: string) =>
      document.config.layers.find((layer: Loose) => layer.name === name).inbound_nodes[0];
    expect(callOf('gru').kwargs.initial_state.config.keras_history).toEqual(['start', 0, 0]);
    // Keras records filled-in arguments only if a call had one tensor and nothing else.
    expect(callOf('gru').kwargs).not.toHaveProperty('training');
    expect(callOf('drop').kwargs).toEqual({ training: true });
    expect(document.config.input_layers).toEqual({ ids: ['ids', 0, 0], start: ['start', 0, 0] });
    const again = modelFromJSON(document);
    expect(JSON.parse(modelToJSON(again))).toEqual(document);
    expect(again.getLayer('gru').inboundNodes[0]?.options).not.toHaveProperty('training');
  });
});

/** Scales by a weight: a layer as an app writes it. */
class Gain extends Layer {
  static override readonly className: string = 'Gain';
  readonly startsAt: number;
  gain: Variable | null = null;

  constructor({ startsAt = 1, ...options }: { startsAt?: number; name?: string } = {}) {
    super(options);
    this.startsAt = startsAt;
  }
  override build(shape: OpenShape): void {
    const initializer = { className: 'Constant', config: { value: this.startsAt } };
    this.gain = this.addWeight('gain', { shape: [shape.at(-1) as number], initializer });
  }
  override call(x: Tensor): Tensor {
    return mul(x, this.gain as Variable);
  }
  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), startsAt: this.startsAt };
  }
}

describe("an app's own classes", () => {
  const withGain = () => {
    const x = input({ shape: [2] });
    return model({ inputs: x, outputs: new Gain({ startsAt: 3, name: 'gain' }).apply(x) });
  };

  test('are found once they are registered, or passed', async () => {
    const text = modelToJSON(withGain() as never);
    const read = (options?: FromJSONOptions) => () => modelFromJSON(text, options);
    expect(read()).toThrow(FormatError);
    expect(read()).toThrow(/class 'Gain' of layer 'gain'[\s\S]*registerClass\(Gain/);
    expect(read({ customObjects: { Gain } })().getLayer('gain')).toBeInstanceOf(Gain);
    registerClass(Gain, { package: 'tests' });
    const registered = JSON.parse(modelToJSON(withGain() as never)) as Loose;
    expect(registered.config.layers[1]).toMatchObject({
      module: null,
      class_name: 'Gain',
      registered_name: 'tests>Gain',
      config: { starts_at: 3 },
      build_config: { input_shape: [null, 2] },
    });
    const again = modelFromJSON(registered);
    expect(await (again.apply(tensor([[1, 2]])) as Tensor).array()).toEqual([[3, 6]]);
  });

  test('functions as activations are saved by their registered names', () => {
    const shifted = (x: Tensor) => relu(add(x, 1));
    const x = input({ shape: [2] });
    const net = () => model({ inputs: x, outputs: layers.dense({ units: 1, activation: shifted }).apply(x) });
    expect(() => modelToJSON(net() as never)).toThrow(/registerClass/);
    registerClass(shifted, { package: 'tests', name: 'shifted' });
    const document = modelToConfig(net() as never) as Loose;
    expect(document.config.layers[1].config.activation).toEqual({
      module: null,
      class_name: 'function',
      config: 'shifted',
      registered_name: 'tests>shifted',
    });
    expect((modelFromJSON(document).layers[1] as layers.Dense).activation).toBe(shifted);
  });

  test('activations with options are layers in Keras', () => {
    const x = input({ shape: [2] });
    const activation = { className: 'leakyRelu', config: { negativeSlope: 0.3 } };
    const net = model({ inputs: x, outputs: layers.dense({ units: 1, activation }).apply(x) });
    const document = modelToConfig(net as never) as Loose;
    expect(document.config.layers[1].config.activation.class_name).toBe('LeakyReLU');
    expect(modelFromJSON(document).layers[1]?.getConfig().activation).toEqual(activation);
  });

  test('names are unique strings', () => {
    class Other extends Gain {}
    expect(() => registerClass(Other, { package: 'tests', name: 'Gain' })).toThrow(ValueError);
    expect(() => registerClass(Other, { package: 'a>b' })).toThrow(ValueError);
    expect(() => registerClass('Gain' as never)).toThrow(ValueError);
    expect(() => modelFromJSON('{}', { customObjects: { Gain: 3 as never } })).toThrow(ValueError);
  });
});
