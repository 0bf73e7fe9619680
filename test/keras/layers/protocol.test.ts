/** @file The behaviour that the base class gives to all layers. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenShape } from '../../../src/core/shape.ts';
import {
  add,
  DTypeError,
  GradientTape,
  init,
  memory,
  mul,
  ones,
  ShapeError,
  square,
  sum,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  type Variable,
  variable,
} from '../../../src/index.ts';
import type { CallOptions } from '../../../src/keras/layers/base/layer.ts';
import { input, Layer, layers, model, Model } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

/** x · w, with all options of weights and calls. */
class Scale extends Layer {
  static override readonly className: string = 'Scale';
  w: Variable | null = null;

  override build(inputShape: OpenShape): void {
    this.w = this.addWeight('w', {
      shape: [inputShape.at(-1) as number],
      initializer: 'ones',
      regularizer: 'l2',
      constraint: 'nonNeg',
    });
  }

  override call(x: Tensor, { offset, training }: CallOptions): Tensor {
    if (training) this.addLoss(sum(x));
    const y = mul(x, this.w as Variable);
    return offset ? add(y, offset as Tensor) : y;
  }
}

describe('tensors by name', () => {
  test('are inputs of the node of a symbolic call, and of its history', async () => {
    const [x, offset] = [input({ shape: [2] }), input({ shape: [2], name: 'offset' })];
    const y = new Scale().apply(x, { offset });
    const node = y.kerasHistory?.node;
    expect(node?.inputs.map(({ id }) => id)).toEqual([x.id, offset.id]);
    const net = model({ inputs: [x, offset], outputs: y });
    expect(await net.apply([tensor([[1, 2]]), tensor([[10, 20]])]).array()).toEqual([[11, 22]]);
    expect(() => model({ inputs: x, outputs: y })).toThrow(/'offset'/);
  });

  test('may be constants, kept beyond their scope', async () => {
    const x = input({ shape: [2] });
    const net = tidy(() => model({ inputs: x, outputs: new Scale().apply(x, { offset: tensor([1, 1]) }) }));
    expect(await net.apply(tensor([[1, 2]])).array()).toEqual([[2, 3]]);
  });

  test('leave no values in the history of eager calls', () => {
    const y = new Scale().apply(tensor([[1, 2]]), { offset: tensor([1, 1]) });
    expect(y.kerasHistory?.node.options).toMatchObject({ offset: 'float32[2]' });
    expect(y.kerasHistory?.node.inputs).toHaveLength(2);
  });

  test('are not symbolic next to tensors with values', () => {
    const call = () => new Scale().apply(tensor([[1, 2]]), { offset: input({ shape: [2] }) });
    expect(call).toThrow(ValueError);
  });
});

describe('training', () => {
  class Seen extends Layer {
    readonly seen: unknown[] = [];
    override call(x: Tensor, { training }: CallOptions): Tensor {
      this.seen.push(training);
      return square(x);
    }
  }
  class Around extends Layer {
    readonly inner = new Seen();
    override call(x: Tensor): Tensor {
      return this.inner.apply(x);
    }
  }

  test('holds for layers inside the call', () => {
    const layer = new Around();
    layer.apply(tensor([1]), { training: true });
    layer.apply(tensor([1]));
    expect(layer.inner.seen).toEqual([true, undefined]);
  });

  test('given at a symbolic call is kept, whatever is passed to the model', () => {
    const x = input({ shape: [1] });
    const [frozen, free] = [new Seen(), new Seen()];
    const net = model({ inputs: x, outputs: free.apply(frozen.apply(x, { training: false })) });
    for (const layer of [frozen, free]) layer.seen.length = 0;
    net.apply(tensor([[1]]), { training: true });
    expect([frozen.seen, free.seen]).toEqual([[false], [true]]);
  });
});

describe('losses', () => {
  test('are penalties of trainable weights, and those that the last call added', async () => {
    const layer = new Scale();
    const x = tensor([[1, 2]]);
    layer.apply(x);
    expect(await Promise.all(layer.losses.map((loss) => loss.item()))).toEqual([expect.closeTo(0.02, 6)]);
    layer.apply(x, { training: true });
    layer.apply(x, { training: true });
    expect(await Promise.all(layer.losses.map((loss) => loss.item()))).toEqual([3, expect.closeTo(0.02, 6)]);
    layer.trainable = false;
    expect(await Promise.all(layer.losses.map((loss) => loss.item()))).toEqual([3]);
    layer.apply(x);
    expect(layer.losses).toEqual([]);
  });

  test('of a layer that is called twice in one call add up; those of other calls don’t', async () => {
    const x = input({ shape: [2] });
    const shared = new Scale();
    const net = model({ inputs: x, outputs: shared.apply(shared.apply(x)) });
    net.apply(tensor([[1, 2]]), { training: true });
    expect(await Promise.all(net.losses.map((loss) => loss.item()))).toEqual([3, 3, expect.closeTo(0.02, 6)]);
    shared.apply(tensor([[5, 5]]), { training: true });
    expect(net.losses).toHaveLength(1);
    expect(shared.losses).toHaveLength(2);
  });

  test('of activities have gradients', async () => {
    const layer = layers.dense({
      units: 1,
      useBias: false,
      kernelInitializer: 'ones',
      activityRegularizer: { className: 'L2', config: { l2: 1 } },
    });
    const x = tensor([[1, 2]]);
    layer.apply(x);
    const tape = new GradientTape();
    layer.apply(x);
    const [loss] = layer.losses as [Tensor];
    expect(await loss.item()).toBe(9);
    expect(await tape.gradient(loss, layer.kernel as Variable)?.array()).toEqual([[6], [12]]);
  });

  test('don’t accumulate', () => {
    const layer = new Scale();
    const x = tensor([[1, 2]]);
    const step = () => tidy(() => void layer.apply(x, { training: true }));
    step();
    const before = memory();
    for (let i = 0; i < 5; i++) step();
    expect(memory()).toMatchObject({ tensors: before.tensors, bytes: before.bytes });
  });

  test('are tensors, added inside of a call', () => {
    class Wrong extends Layer {
      override call(x: Tensor): Tensor {
        this.addLoss(1 as never);
        return x;
      }
      outside(): void {
        this.addLoss(tensor(1));
      }
    }
    expect(() => new Wrong().apply(tensor([1]))).toThrow(ValueError);
    expect(() => new Wrong().outside()).toThrow(/outside of any call/);
  });
});

describe('weights', () => {
  test('have the paths of the layers in which they are created', () => {
    class Block extends Layer {
      readonly inner = layers.dense({ units: 2, name: 'inner' });
      override build(shape: OpenShape): void {
        this.addWeight('scale', { shape: [] });
        this.inner.ensureBuilt(shape);
      }
      override call(x: Tensor): Tensor {
        return this.inner.apply(x);
      }
    }
    class Lazy extends Model {
      readonly block = new Block({ name: 'block' });
      override call(x: Tensor): Tensor {
        return this.block.apply(x);
      }
    }
    const net = new Lazy({ name: 'net' });
    net.apply(tensor([[1, 2]]));
    expect(net.weights.map(({ path }) => path)).toEqual([
      'net/block/scale',
      'net/block/inner/kernel',
      'net/block/inner/bias',
    ]);
  });

  test('of a build that fails are freed, and another build adds its own', () => {
    class Scaled extends Layer {
      scale!: Variable;
      offset!: Variable;
      override build([, size]: readonly (number | null)[]): void {
        this.scale = this.addWeight('scale', { shape: [size as number], initializer: 'ones' });
        if (size === 3) throw new Error('three');
        this.offset = this.addWeight('offset', { shape: [size as number] });
      }
      override call(x: Tensor): Tensor {
        return add(mul(x, this.scale), this.offset);
      }
    }
    const layer = new Scaled();
    const three = ones([1, 3]);
    const before = memory().tensors;
    expect(() => layer.apply(three)).toThrow('three');
    expect(memory().tensors).toBe(before);
    layer.apply(ones([1, 4]));
    expect(layer.weights.map(({ name, shape }) => [name?.split('/').at(-1), ...shape])).toEqual([
      ['scale', 4],
      ['offset', 4],
    ]);
  });

  test('carry the options that they were created with', () => {
    const layer = new Scale();
    layer.build([null, 2]);
    expect(layer.built).toBe(true);
    expect(layer.w?.regularizer?.className).toBe('L2');
    expect(layer.w?.constraint?.className).toBe('NonNeg');
    layer.apply(tensor([[1, 2]]));
    expect(layer.weights).toHaveLength(1);
  });

  test('in arrays, records and maps are found, with the layers there', () => {
    class Many extends Layer {
      readonly byName = { a: layers.dense({ units: 1 }), deep: [layers.dense({ units: 1 })] };
      readonly mapped = new Map([['c', layers.dense({ units: 1 })]]);
      readonly scale = variable(tensor([1]), { name: 'scale' });
      readonly fixed = variable(tensor([1]), { name: 'fixed', trainable: false });
      override call(x: Tensor): Tensor {
        const all = [this.byName.a, ...this.byName.deep, ...this.mapped.values()];
        return mul(
          all.reduce((value, layer) => layer.apply(value), x),
          this.scale,
        );
      }
    }
    const layer = new Many();
    layer.apply(tensor([[1]]));
    expect(layer.sublayers).toHaveLength(3);
    expect(layer.weights).toHaveLength(8);
    expect(layer.trainableWeights).toHaveLength(7);
    layer.trainable = false;
    expect(layer.scale.trainable).toBe(false);
    layer.trainable = true;
    expect([layer.scale.trainable, layer.fixed.trainable]).toEqual([true, false]);
  });

  test('of layers inside a frozen one are trainable only by themselves', () => {
    const inner = layers.dense({ units: 1 });
    const x = input({ shape: [1] });
    const net = model({ inputs: x, outputs: inner.apply(x) });
    net.trainable = false;
    inner.trainable = true;
    expect(inner.trainableWeights).toHaveLength(2);
    expect(net.trainableWeights).toEqual([]);
    expect(net.nonTrainableWeights).toHaveLength(2);
    net.trainable = true;
    inner.trainable = false;
    expect(net.trainableWeights).toEqual([]);
  });

  test('are read as they are now, and set from tensors and host values', async () => {
    const [a, b] = [layers.dense({ units: 2 }), layers.dense({ units: 2 })];
    for (const layer of [a, b]) layer.build([null, 1]);
    a.setWeights([new Float32Array([1, 2]), [3, 4]]);
    const values = a.getWeights();
    a.setWeights([[[0, 0]], [0, 0]]);
    b.setWeights(values);
    expect(await Promise.all(b.weights.map((weight) => weight.array()))).toEqual([[[1, 2]], [3, 4]]);
    expect(() => b.setWeights([[[5, 5]], [1, 2, 3]])).toThrow(ShapeError);
    expect(() => b.setWeights([[[5, 5]], tensor([1, 2], { dtype: 'int32' })])).toThrow(DTypeError);
    expect(() => b.setWeights(1 as never)).toThrow(ShapeError);
    // A list with one wrong value changes nothing.
    expect(await b.kernel?.array()).toEqual([[1, 2]]);
  });
});

test('layers in a loop keep no histories of earlier iterations', () => {
  const layer = layers.dense({ units: 1 });
  let x: Tensor = tensor([[1]]);
  for (let i = 0; i < 5; i++) x = layer.apply(x);
  const node = x.kerasHistory?.node;
  expect(node?.operation.name).toBe(layer.name);
  expect(node?.inputs[0]?.history).toBeNull();
  expect(node?.inside[0]?.node.inputs.map(({ history }) => history)).toEqual([null, null, null]);
});

test('a class without a className is called by its name in the source', () => {
  class MyOwn extends Layer {
    override call(x: Tensor): Tensor {
      return x;
    }
  }
  expect(new MyOwn().name).toMatch(/^my_own/);
});

test.each<[string, object, new (...args: never[]) => Error]>([
  ['a dtype that is none', { dtype: 'float64' }, DTypeError],
  ['a `trainable` that is none', { trainable: 'no' }, ValueError],
  ['a name that is none', { name: 3 }, ValueError],
  ['an unknown regularizer', { activityRegularizer: 'l3' }, ValueError],
])('a layer rejects %s', (_, options, error) => {
  expect(() => new Scale(options as never)).toThrow(error);
});

describe('calls of build and call from outside', () => {
  class Twice extends Scale {
    static override readonly className: string = 'Twice';

    override build(inputShape: OpenShape): void {
      super.build(inputShape);
      expect(this.built).toBe(false);
    }

    override call(x: Tensor, options: CallOptions): Tensor {
      return mul(super.call(x, options), 2);
    }
  }

  test('enter by bound methods, outside of the class', async () => {
    const one = new Twice();
    const own = [Twice.prototype.build, Twice.prototype.call];
    expect(Object.keys(one)).not.toContain('call');
    expect([Twice.prototype.build, Twice.prototype.call]).toEqual(own);
    expect(one.call).not.toBe(Twice.prototype.call);
    expect([one instanceof Twice, one.constructor]).toEqual([true, Twice]);
    const { build, call } = one;
    build([null, 1]);
    expect(await call(tensor([[3]]), {}).array()).toEqual([[6]]);
  });

  test('build once, with the name and the mark of the layer; super is the class above', async () => {
    const layer = new Twice({ name: 'twice' });
    layer.build([null, 2]);
    expect([layer.built, layer.buildShape, layer.w?.name]).toEqual([true, [null, 2], 'twice/w']);
    expect(await layer.call(tensor([[1, 2]]), { training: true }).array()).toEqual([[2, 4]]);
    // The loss that `super.call` adds and the penalty: the call from outside was one call.
    expect(layer.losses).toHaveLength(2);
  });

  test('follow a method that is replaced, of the class or of a layer', async () => {
    const [first, second] = [new Twice(), new Twice()];
    const { call } = Twice.prototype;
    try {
      Twice.prototype.call = (x) => mul(x, 3);
      expect(await first.apply(tensor([[1]])).array()).toEqual([[3]]);
    } finally {
      Twice.prototype.call = call;
    }
    second.call = (x) => mul(x, 5);
    expect(await second.apply(tensor([[1]])).array()).toEqual([[5]]);
    expect(await first.apply(tensor([[1]])).array()).toEqual([[2]]);
  });
});
