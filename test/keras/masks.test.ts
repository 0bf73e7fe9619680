import { beforeAll, describe, expect, test } from 'vitest';
import {
  init,
  memory,
  mul,
  notEqual,
  type SymbolicTensor,
  sum,
  type Tensor,
  tensor,
  tidy,
  where,
} from '../../src/index.ts';
import {
  clearSession,
  input,
  Layer,
  layers,
  maskOf,
  model,
  sequential,
  setMask,
} from '../../src/keras/index.ts';
import type { CallOptions } from '../../src/keras/layers/base/layer.ts';
import type { Nest } from '../../src/keras/tensorNest.ts';

beforeAll(async () => {
  await init();
});

/** Marks zeros. */
class MarkZeros extends Layer {
  override call(x: Tensor): Tensor {
    return mul(x, 10);
  }
  override computeMask(x: Tensor): Tensor {
    return notEqual(x, 0);
  }
}

/** Passes masks on. */
class Through extends Layer {
  override readonly supportsMasking = true;
  override call(x: Tensor): Tensor {
    return mul(x, 1);
  }
}

/** Sums the unmasked values. */
class MaskedSum extends Layer {
  override readonly takesMask = true;
  override call(x: Tensor, { mask }: CallOptions): Tensor {
    return sum(mask ? where(mask as Tensor, x, mul(x, 0.5)) : x, { axis: 1 });
  }
}

/** Drops masks. */
class Plain extends Layer {
  override call(x: Tensor): Tensor {
    return mul(x, 1);
  }
}

const values = () => tensor([[1, 0, 2]]);
const read = async (mask: Tensor | null | undefined) => (mask ? mask.array() : null);

describe('a mask', () => {
  test('is attached to its tensor, and passes through layers that support it', async () => {
    const y = new Through().apply(new MarkZeros().apply(values()));
    expect(await read(maskOf(y))).toEqual([[1, 0, 1]]);
    expect(maskOf(new Plain().apply(y))).toBeNull();
    expect(maskOf(mul(y, 1))).toBeNull();
  });

  test('reaches the layer that takes it, unless the call is given another', async () => {
    const marked = new MarkZeros().apply(tensor([[1, 0, 2]]));
    const other = tensor([[false, false, true]]);
    const layer = new MaskedSum();
    expect(await layer.apply(marked).array()).toEqual([30]);
    expect(await layer.apply(marked, { mask: other }).array()).toEqual([25]);
    expect(await layer.apply(marked, { mask: null }).array()).toEqual([30]);
    expect(await layer.apply(setMask(tensor([[2, 4, 6]]), other)).array()).toEqual([9]);
  });

  test('leaves every scope with its tensor, and is freed with it', async () => {
    const layer = sequential([new MarkZeros(), new Through()]);
    const x = values();
    layer.apply(x).dispose();
    const before = memory();
    const y = tidy(() => layer.apply(x));
    expect(memory().tensors).toBe(before.tensors + 1);
    expect(await read(maskOf(y))).toEqual([[1, 0, 1]]);
    y.dispose();
    expect(memory().tensors).toBe(before.tensors);
    expect(memory().bytes).toBe(before.bytes);
  });

  test('can be removed, and still belongs to the caller', async () => {
    const mask = tensor([true]);
    const x = setMask(tensor([1]), mask);
    mask.dispose();
    expect(await read(maskOf(x))).toEqual([1]);
    setMask(x, null);
    expect(maskOf(x)).toBeNull();
  });

  test('of several inputs comes in their nest', () => {
    const seen: unknown[] = [];
    class Both extends Layer<Tensor[], Tensor> {
      override call([a]: Tensor[], { mask }: CallOptions): Tensor {
        seen.push((mask as Nest<Tensor | null>[]).map((one) => one && (one as Tensor).shape));
        return mul(a as Tensor, 1);
      }
    }
    new Both().apply([new MarkZeros().apply(values()), values()]);
    expect(seen).toEqual([[[1, 3], null]]);
  });
});

describe('in a graph, a mask', () => {
  const graph = () => {
    clearSession();
    const x = input({ shape: [3] });
    const marked = new MarkZeros().apply(x);
    return { x, marked, y: new MaskedSum().apply(new Through().apply(marked)) };
  };

  test('is an input of the calls that take it, as in Keras', async () => {
    const { x, marked, y } = graph();
    const mask = maskOf(marked);
    expect(mask?.kerasHistory?.operation.name).toBe('not_equal');
    expect(y.kerasHistory?.node.inputs.map(({ name }) => name)).toContain(mask?.name);
    const net = model({ inputs: x, outputs: y });
    expect(net.operations.map(({ name }) => name)).toEqual([
      'input_layer',
      'mark_zeros',
      'through',
      'not_equal',
      'masked_sum',
    ]);
    expect(await net.apply(values()).array()).toEqual([30]);
  });

  test('goes through models inside, and out of them', async () => {
    const { x } = graph();
    const inner = model({ inputs: x, outputs: new Through().apply(new MarkZeros().apply(x)) });
    expect(await read(maskOf(inner.apply(values())))).toEqual([[1, 0, 1]]);
    const outer = input({ shape: [3] });
    const net = model({ inputs: outer, outputs: new MaskedSum().apply(inner.apply(outer)) });
    expect(await net.apply(tensor([[1, 0, 2]])).array()).toEqual([30]);
  });

  test('passed to a model reaches its layers, and is not attached to the caller’s tensor', async () => {
    const x = input({ shape: [3] });
    const net = model({ inputs: x, outputs: new MaskedSum().apply(new Through().apply(x)) });
    const given = tensor([[2, 4, 6]]);
    expect(await net.apply(given, { mask: tensor([[true, false, false]]) }).array()).toEqual([7]);
    expect(maskOf(given)).toBeNull();
    expect(await net.apply(setMask(given, tensor([[false, false, true]]))).array()).toEqual([9]);
  });

  test('passed to a model that returns its input leaves the input usable', async () => {
    const x = input({ shape: [1] });
    const net = model({ inputs: x, outputs: [x, new Plain().apply(x)] });
    const [same] = net.apply(tensor([[2]]), { mask: tensor([[true]]) });
    expect(await same.array()).toEqual([[2]]);
  });

  test('given at a symbolic call is an input like others', async () => {
    const x = input({ shape: [3] });
    const mask = input({ shape: [3], dtype: 'bool' });
    const y: SymbolicTensor = new MaskedSum().apply(x, { mask });
    const net = model({ inputs: [x, mask], outputs: y });
    const given = [tensor([[2, 4, 6]]), tensor([[true, false, false]])];
    expect(await net.apply(given as never).array()).toEqual([7]);
  });

  test('of an embedding finds its layers', async () => {
    const x = input({ shape: [3], dtype: 'int32' });
    const embedded = layers.embedding({ inputDim: 3, outputDim: 2, maskZero: true }).apply(x);
    const net = model({ inputs: x, outputs: new Through().apply(embedded) });
    expect(await read(maskOf(net.apply(tensor([[2, 0, 1]], { dtype: 'int32' }))))).toEqual([[1, 0, 1]]);
  });
});

describe('concatenate of masked tensors in a model', () => {
  test.each([1, 2])('has the mask of eager calls, axis %d', async (axis) => {
    clearSession();
    const [embedding, join] = [
      layers.embedding({ inputDim: 6, outputDim: 2, maskZero: true }),
      layers.concatenate({ axis }),
    ];
    const plain = layers.embedding({ inputDim: 6, outputDim: 2 });
    const ids = input({ shape: [null], dtype: 'int32' });
    for (const other of [embedding, plain]) {
      const joined = join.apply([embedding.apply(ids), other.apply(ids)] as never);
      const found = model({ inputs: ids, outputs: maskOf(joined as never) as never });
      const given = tensor(
        [
          [3, 1, 0, 0],
          [0, 2, 5, 0],
        ],
        { dtype: 'int32' },
      );
      const eager = join.apply([embedding.apply(given), other.apply(given)] as never);
      expect(await (found.apply(given) as Tensor).array()).toEqual(await maskOf(eager as never)?.array());
    }
  });
});

/** Adds a state, and takes a mask. */
class WithState extends Layer {
  override readonly supportsMasking = true;
  override readonly takesMask = true;
  override call(x: Tensor, { mask, state }: CallOptions): Tensor {
    const y = mask ? where(mask as Tensor, x, 0) : x;
    return state ? mul(y, state as Tensor) : y;
  }
}

describe('a call with tensors besides its inputs', () => {
  const marked = () => new MarkZeros().apply(tensor([[1, 0, 2]]));
  const ids = () => tensor([[1, 2, 0, 0]], { dtype: 'int32' });

  test('uses no mask that the input carries, but passes it on', async () => {
    const layer = new WithState();
    const state = tensor([[3, 3, 3]]);
    const x = setMask(tensor([[1, 5, 2]]), tensor([[true, false, true]]));
    expect(await layer.apply(x).array()).toEqual([[1, 0, 2]]);
    const y = layer.apply(x, { state });
    expect(await y.array()).toEqual([[3, 15, 6]]);
    expect(await read(maskOf(y))).toEqual([[1, 0, 1]]);
    expect(await layer.apply(x, { state, mask: maskOf(x) }).array()).toEqual([[3, 0, 6]]);
    expect(await read(maskOf(marked()))).toEqual([[1, 0, 1]]);
  });

  test('is the same for recurrent layers, eagerly and in a graph', async () => {
    const embedding = layers.embedding({ inputDim: 3, outputDim: 2, maskZero: true });
    const lstm = layers.lstm({ units: 2, returnSequences: true });
    const both = layers.bidirectional({ layer: layers.gru({ units: 2 }) });
    const state = tensor([[0.5, -0.5]]);
    for (const [layer, count] of [
      [lstm, 2],
      [both, 2],
    ] as const) {
      const initialState = new Array<Tensor>(count).fill(state);
      const x = embedding.apply(ids());
      const plain = setMask(mul(x, 1), null);
      const unmasked = await layer.apply(plain, { initialState }).array();
      const masked = await layer.apply(x, { initialState, mask: maskOf(x) }).array();
      expect(masked).not.toEqual(unmasked);
      expect(await layer.apply(x, { initialState }).array()).toEqual(unmasked);
      const [words, given] = [input({ shape: [4], dtype: 'int32' }), input({ shape: [2] })];
      const y = layer.apply(embedding.apply(words), { initialState: new Array(count).fill(given) } as never);
      const net = model({ inputs: [words, given], outputs: y as never });
      const found = net.apply([ids(), state]) as Tensor;
      expect(await found.array()).toEqual(unmasked);
      expect(maskOf(found) !== null).toBe(layer === (lstm as unknown));
    }
  });

  test("doesn't change attention, whose inputs have a mask each", async () => {
    const x = layers.embedding({ inputDim: 3, outputDim: 2, maskZero: true }).apply(ids());
    const attention = layers.multiHeadAttention({ numHeads: 1, keyDim: 2 });
    const attentionMask = tensor([[[1, 1, 1, 1]]]);
    const wanted = await attention.apply(x).array();
    expect(await attention.apply(x, { attentionMask }).array()).toEqual(wanted);
  });
});
