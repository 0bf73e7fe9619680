import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenShape } from '../../../src/core/shape.ts';
import {
  add,
  GradientTape,
  init,
  matMul,
  mul,
  square,
  sum,
  type Tensor,
  tensor,
  ValueError,
  type Variable,
} from '../../../src/index.ts';
import { input, Layer, layers, Model, model } from '../../../src/keras/index.ts';
import type { CallOptions } from '../../../src/keras/layers/base/layer.ts';

beforeAll(async () => {
  await init();
});

/** A model with its own `call`, with a branch that a graph couldn't have. */
class Residual extends Model {
  static override readonly className: string = 'Residual';
  readonly hidden = layers.dense({ units: 2, kernelInitializer: 'ones', name: 'hidden' });
  readonly top = layers.dense({ units: 1, kernelInitializer: 'ones', name: 'top' });

  override call(x: Tensor, { training }: CallOptions): Tensor {
    const h = this.hidden.apply(x);
    return this.top.apply(training ? h : add(h, x));
  }
}

describe('a subclass of Model', () => {
  test('computes with its own call, and finds its layers', async () => {
    const net = new Residual();
    expect(net.name).toMatch(/^residual/);
    expect(net.layers.map(({ name }) => name)).toEqual(['hidden', 'top']);
    expect(net.weights).toEqual([]);
    const x = tensor([[1, 2]]);
    expect(await net.apply(x).array()).toEqual([[9]]);
    expect(await net.apply(x, { training: true }).array()).toEqual([[6]]);
    expect(net.weights).toHaveLength(4);
    expect(net.getLayer('top')).toBe(net.top);
    expect(() => net.getLayer('bottom')).toThrow(/has 'hidden', 'top'/);
  });

  test('is a layer in other models, with its weights and gradients', async () => {
    const inner = new Residual();
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: square(inner.apply(x)) });
    expect(inner.inputs[0]).toBe(x);
    const tape = new GradientTape();
    const loss = sum(net.apply(tensor([[1, 2]])));
    const gradients = tape.gradient(loss, net.trainableWeights);
    expect(await loss.item()).toBe(81);
    expect(gradients.every((gradient) => gradient !== null)).toBe(true);
  });

  test('knows no graph', () => {
    const net = new Residual();
    expect(() => net.operations).toThrow(ValueError);
    expect(() => net.nodes).toThrow(/inputs, outputs/);
    expect(() => net.input).toThrow(/never called/);
  });

  test('that computes nothing says so', () => {
    expect(() => new Model({ name: 'empty' }).apply(tensor([[1]]))).toThrow(/write `call/);
  });

  test('may be created from a graph, and have other members', async () => {
    class WithHead extends Model {
      readonly head = layers.dense({ units: 1, kernelInitializer: 'ones', name: 'head' });
      score(x: Tensor): Tensor {
        return this.head.apply(this.apply(x));
      }
    }
    const x = input({ shape: [2] });
    const net = new WithHead({ inputs: x, outputs: square(x), name: 'graph' });
    expect(net.layers.map(({ className }) => className)).toEqual(['InputLayer']);
    expect(await net.score(tensor([[1, 2]])).array()).toEqual([[5]]);
    expect(net.weights.map(({ path }) => path)).toEqual(['head/kernel', 'head/bias']);
    net.trainable = false;
    expect(net.head.trainable).toBe(false);
  });
});

describe('a layer of an app', () => {
  class Linear extends Layer {
    static override readonly className: string = 'Linear';
    readonly units: number;
    kernel: Variable | null = null;

    constructor({ units, ...options }: { units: number; name?: string }) {
      super(options);
      this.units = units;
    }

    override build(inputShape: OpenShape): void {
      this.kernel = this.addWeight('kernel', {
        shape: [inputShape.at(-1) as number, this.units],
        initializer: 'ones',
      });
    }

    override call(x: Tensor): Tensor {
      return matMul(x, this.kernel as Variable);
    }

    override computeOutputShape(inputShape: OpenShape): OpenShape {
      return [...inputShape.slice(0, -1), this.units];
    }

    override getConfig(): Record<string, unknown> {
      return { ...super.getConfig(), units: this.units };
    }
  }

  test('is like any other', async () => {
    const layer = new Linear({ units: 3, name: 'mine' });
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: layer.apply(x) });
    expect(net.output.shape).toEqual([null, 3]);
    expect(net.weights.map(({ path }) => path)).toEqual(['mine/kernel']);
    expect(await net.apply(tensor([[1, 2]])).array()).toEqual([[3, 3, 3]]);
    const tape = new GradientTape();
    const gradient = tape.gradient(sum(mul(net.apply(tensor([[1, 2]])), 2)), layer.kernel as Variable);
    expect(await gradient?.array()).toEqual([
      [2, 2, 2],
      [4, 4, 4],
    ]);
  });

  test('is made again from its configuration', () => {
    const layer = new Linear({ units: 3, name: 'mine' });
    const again = Linear.fromConfig(layer.getConfig() as never);
    expect(again).toBeInstanceOf(Linear);
    expect(again.getConfig()).toEqual(layer.getConfig());
  });
});

test('a layer knows its calls, and those that take its outputs', () => {
  const x = input({ shape: [2] });
  const [first, second] = [layers.dense({ units: 2 }), layers.dense({ units: 1 })];
  const y = second.apply(first.apply(x));
  expect(first.inboundNodes).toHaveLength(1);
  expect(first.outboundNodes[0]).toBe(second.inboundNodes[0]);
  const ends = [first.input, first.output, second.output].map(({ id }) => id);
  expect(ends).toEqual([x.id, second.input.id, y.id]);
  expect(() => first.getOutputAt(1)).toThrow(/has 1/);
  expect(() => layers.dense({ units: 1 }).output).toThrow(/never called/);
});
