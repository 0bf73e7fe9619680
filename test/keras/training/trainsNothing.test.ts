/** @file Models that would train nothing, or the wrong weights, are reported. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  add,
  GradientTape,
  init,
  mean,
  mul,
  sub,
  square,
  type Tensor,
  tensor,
  ValueError,
  type Variable,
  variable,
} from '../../../src/index.ts';
import { type Batch, input, Layer, layers, Model, optimizers, sequential } from '../../../src/keras/index.ts';
import { collectAll } from '../../support/collectGarbage.ts';
import { data, regressor, wave } from './support.ts';

beforeAll(async () => {
  await init();
});

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
const warnings = () => warn.mock.calls.map(([text]) => String(text));

afterEach(() => {
  warn.mockClear();
});

afterAll(async () => {
  warn.mockRestore();
  // Tests of other files count tensors.
  await collectAll();
});

const x = () => tensor([[1, 2]]);
const dense = (trainable = true) => layers.dense({ units: 2, trainable });

describe('a layer called in `call`', () => {
  class Hidden extends Layer {
    readonly #inner = dense();
    override call(x: Tensor): Tensor {
      return this.#inner.apply(x);
    }
  }

  class Fresh extends Layer {
    override call(x: Tensor): Tensor {
      return dense().apply(x);
    }
  }

  /** Not a layer: its properties aren't searched. */
  class Holder {
    readonly inner = dense();
  }

  class Held extends Model {
    readonly holder = new Holder();
    override call(x: Tensor): Tensor {
      return this.holder.inner.apply(x);
    }
  }

  test.each<[string, () => Layer | Model]>([
    ['in a private field', () => new Hidden()],
    ['made in the call', () => new Fresh()],
    ['in an object of another class', () => new Held()],
    ['in a layer of a model', () => sequential({ layers: [new Hidden()] })],
    ['made by a Lambda', () => layers.lambda((x) => dense().apply(x)) as Layer],
  ])('is rejected %s', (_, make) => {
    expect(() => make().apply(x())).toThrow(ValueError);
    expect(() => make().apply(x())).toThrow(/Dense 'dense.*in no public property/s);
    // The first call may be symbolic, or that of the app's own loop.
    expect(() => make().apply(input({ shape: [2] }))).toThrow(/public property/);
    expect(() => make().call(x(), {})).toThrow(/public property/);
  });

  test('is accepted in any property, and without trainable weights anywhere', () => {
    class Fine extends Layer {
      readonly parts = { deep: [dense()] };
      readonly #frozen = dense(false);
      built2: Layer | null = null;
      override build(): void {
        this.built2 = dense();
      }
      override call(x: Tensor): Tensor {
        const y = layers.activation({ activation: 'relu' }).apply(this.#frozen.apply(x));
        return (this.built2 as Layer).apply((this.parts.deep[0] as Layer).apply(y));
      }
    }
    const layer = new Fine();
    for (let i = 0; i < 2; i++) layer.apply(x());
    expect(layer.trainableWeights).toHaveLength(4);
  });

  describe('where the app calls `call` itself', () => {
    class Public extends Model {
      readonly inner = dense();
      readonly seen: unknown[] = [];
      override call(x: Tensor, { training }: { training?: boolean } = {}): Tensor {
        this.seen.push(training);
        this.addLoss(mean(x));
        return this.inner.apply(x);
      }
    }
    const callOf = (layer: object) => (layer as { call(...args: unknown[]): Tensor }).call(x());

    test('works as a call: with losses, without options, and inside another call', () => {
      const net = new Public();
      callOf(net);
      net.call(x(), { training: true });
      expect(net.seen).toEqual([undefined, true]);
      expect(net.losses).toHaveLength(1);
      expect(net.weights).toHaveLength(2);
      class Around extends Layer {
        readonly inner = net;
        override call(x: Tensor): Tensor {
          return this.inner.call(x, {});
        }
      }
      const around = new Around();
      around.apply(x(), { training: true });
      expect(around.losses).toHaveLength(1);
      class Hiding extends Layer {
        override call(): Tensor {
          return callOf(net);
        }
      }
      expect(() => new Hiding().apply(x())).toThrow(/in no public property of Hiding/);
    });

    test('works for a model with a graph, too', async () => {
      const net = regressor();
      const [input] = data(4);
      const called = (net as unknown as { call(x: Tensor): Tensor }).call(input);
      expect(await called.data()).toEqual(await net.apply(input).data());
    });
  });

  test('may belong to a layer around the calling one', () => {
    class Borrowing extends Layer {
      readonly #borrowed: Layer;
      constructor(borrowed: Layer) {
        super();
        this.#borrowed = borrowed;
      }
      override call(x: Tensor): Tensor {
        return this.#borrowed.apply(x);
      }
    }
    class Tied extends Model {
      readonly shared = dense();
      readonly decoder = new Borrowing(this.shared);
      override call(x: Tensor): Tensor {
        return this.decoder.apply(this.shared.apply(x));
      }
    }
    const net = new Tied();
    net.apply(x());
    expect(net.weights).toHaveLength(2);
    expect(() => net.decoder.apply(x())).toThrow(/public property/);
  });
});

describe('fit', () => {
  test('rejects a model without trainable weights', async () => {
    class Weightless extends Model {
      override call(x: Tensor): Tensor {
        return mul(x, 2);
      }
    }
    const none = new Weightless();
    none.compile({ optimizer: 'sgd', loss: 'mse' });
    await expect(none.fit(wave([4, 2]), wave([4, 2]))).rejects.toThrow(/with no weights/);
    const frozen = regressor();
    frozen.trainable = false;
    frozen.compile({ optimizer: 'sgd', loss: 'mse' });
    await expect(frozen.fit(...data(4))).rejects.toThrow(/4 weights, none of them trainable/);
    await expect(frozen.trainOnBatch(...data(4))).rejects.toThrow(ValueError);
    expect(Object.keys(await frozen.evaluate(...data(4)))).toEqual(['loss']);
  });

  /** A model whose step calls `act`. */
  class Own extends Model {
    readonly top = layers.dense({ units: 1 });
    readonly norm = layers.batchNormalization();
    constructor(readonly act: (net: Own, loss: Tensor, tape: GradientTape) => unknown) {
      super();
    }
    override call(x: Tensor): Tensor {
      return this.top.apply(this.norm.apply(x));
    }
    override trainStep({ x, y }: Batch) {
      return GradientTape.run((tape) => {
        const loss = mean(square(sub(this.apply(x as Tensor, { training: true }), y as Tensor)));
        return this.act(this, loss, tape) as { loss: Tensor };
      });
    }
  }

  const own = (act: Own['act'], runEagerly = false) => {
    const net = new Own(act);
    net.compile({ optimizer: 'sgd', runEagerly });
    return net.fit(...data(8), { batchSize: 4, epochs: 2 });
  };
  const descend = (net: Own, loss: Tensor, tape: GradientTape) => {
    const weights = net.trainableWeights;
    net.optimizer?.apply(tape.gradient(loss, weights), weights);
    return { loss };
  };

  test('rejects a step that applies no gradient, whatever it assigns to averages', async () => {
    await expect(own((_, loss) => ({ loss }))).rejects.toThrow(/applied no gradient/);
    await expect(own((_, loss) => ({ loss }), true)).rejects.toThrow(ValueError);
  });

  test('accepts one that assigns weights by hand, and an eager one that skips some updates', async () => {
    const byHand = (net: Own, loss: Tensor, tape: GradientTape) => {
      const weights = net.trainableWeights;
      tape.gradient(loss, weights).forEach((gradient, i) => {
        const weight = weights[i] as Variable;
        weight.assign(sub(weight, mul(gradient as Tensor, 0.1)));
      });
      return { loss };
    };
    await own(byHand);
    let steps = 0;
    await own((net, loss, tape) => {
      if (++steps % 2 === 0) descend(net, loss, tape);
      return { loss };
    }, true);
    expect(steps).toBe(4);
  });

  test.each<[string, (loss: Tensor) => unknown, RegExp]>([
    ['a number', () => ({ loss: 3 }), /loss: 3\b.*return the tensor itself/s],
    ['a value that is read', (loss) => ({ loss: loss.shape.length }), /trainStep: a step returns a record/],
    ['a bare tensor', (loss) => loss, /such as \{ loss \}/],
    ['null', () => ({ loss: null }), /loss: null/],
  ])('rejects a step that returns %s', async (_, logsOf, message) => {
    for (const runEagerly of [false, true]) {
      const run = own((net, loss, tape) => {
        descend(net, loss, tape);
        return logsOf(loss);
      }, runEagerly);
      await expect(run).rejects.toThrow(message);
    }
  });

  test('rejects a step that returns nothing, unless it updates the loss itself', async () => {
    for (const logs of [undefined, {}]) {
      const silent = own((net, loss, tape) => {
        descend(net, loss, tape);
        return logs;
      });
      await expect(silent).rejects.toThrow(/must update them[\s\S]*return .* such as \{ loss \}/);
    }
    class Delegating extends Model {
      readonly top = layers.dense({ units: 1 });
      isSilent = false;
      override call(x: Tensor): Tensor {
        return this.top.apply(x);
      }
      override trainStep(batch: Batch) {
        super.trainStep(batch);
        return undefined;
      }
      override testStep(batch: Batch) {
        return this.isSilent ? undefined : super.testStep(batch);
      }
    }
    const net = new Delegating();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const { history } = await net.fit(...data(4), { validationData: data(4) });
    expect(history.loss?.[0]).toBeGreaterThan(0);
    net.isSilent = true;
    await expect(net.evaluate(...data(4))).rejects.toThrow(/testStep: .*must update them/);
    await expect(net.testOnBatch(...data(4))).rejects.toThrow(ValueError);
  });

  test('warns once of weights that the loss does not reach', async () => {
    class Split extends Own {
      readonly unused = layers.dense({ units: 1, name: 'unused' });
      override call(x: Tensor): Tensor {
        this.unused.apply(x);
        return super.call(x);
      }
    }
    const net = new Split(descend);
    net.compile({ optimizer: 'sgd' });
    for (let run = 0; run < 2; run++) await net.fit(...data(4));
    expect(warnings()).toEqual([
      expect.stringMatching(
        /sgd.*: the gradients of 'split.*\/unused\/kernel', .*bias' are null.*tape\.explain/,
      ),
    ]);
  });

  test('rejects a step that is async', async () => {
    class Async extends Own {
      override trainStep(batch: Batch) {
        return Promise.resolve(super.trainStep(batch)) as never;
      }
    }
    const net = new Async((net, loss, tape) => descend(net, loss, tape));
    net.compile({ optimizer: 'sgd' });
    await expect(net.fit(...data(4))).rejects.toThrow(/without async and await/);
  });

  describe('with trainable variables that the model doesn’t have', () => {
    /** Reads a variable that isn't found. */
    class Untracked extends Layer {
      readonly #scale: Variable;
      constructor(scale = variable(tensor(2), { name: 'untracked' })) {
        super();
        this.#scale = scale;
      }
      override call(x: Tensor): Tensor {
        return add(x, this.#scale);
      }
    }
    const scaled = (scale?: Variable) => {
      const net = sequential({ layers: [new Untracked(scale), layers.dense({ units: 1 })] });
      net.compile({ optimizer: 'sgd', loss: 'mse' });
      return net;
    };

    test('rejects them, in default and custom steps', async () => {
      await expect(scaled().fit(...data(4))).rejects.toThrow(
        /'untracked', read by Untracked.*which 'sequential.*addWeight.*#private/s,
      );
      class Custom extends Own {
        readonly untracked = new Untracked();
        override call(x: Tensor): Tensor {
          return this.untracked.apply(super.call(x));
        }
      }
      const custom = new Custom(descend);
      custom.compile({ optimizer: 'sgd' });
      await expect(custom.fit(...data(4))).rejects.toThrow(/'untracked', read by Untracked/);
      // The model that is trained may be called in parts.
      class Parts extends Own {
        readonly #bias = variable(tensor(1), { name: 'bias of the parts' });
        readonly part = layers.lambda((x: Tensor) => add(x, this.#bias));
        readonly inner = new Untracked();
        override call(x: Tensor): Tensor {
          return super.call(x);
        }
        override trainStep({ x, y }: Batch) {
          return super.trainStep({ x: this.inner.apply(x), y, sampleWeight: null });
        }
      }
      const parts = new Parts(descend);
      parts.compile({ optimizer: 'sgd' });
      // Called before the step's tape is opened: no gradient would reach it there anyway.
      await parts.fit(...data(4));
      expect(warnings()).toEqual([]);
    });

    test('accepts those that something else trains, frozen ones, inputs, and its own', async () => {
      await scaled(variable(tensor(2), { trainable: false })).fit(...data(4));
      const elsewhere = variable(tensor(2));
      optimizers.sgd().build([elsewhere]);
      await scaled(elsewhere).fit(...data(4));
      const byHand = variable(tensor(2));
      class Assigning extends Own {
        readonly untracked = new Untracked(byHand);
        override call(x: Tensor): Tensor {
          return super.call(this.untracked.apply(x));
        }
      }
      const assigning = new Assigning((net, loss, tape) => {
        descend(net, loss, tape);
        byHand.assign(sub(byHand, 0.1));
        return { loss };
      });
      assigning.compile({ optimizer: 'sgd' });
      await assigning.fit(...data(4));
      const image = variable(tensor([[1, 2]]));
      GradientTape.run(() => dense().apply(image));
      expect(warnings()).toEqual([]);
    });

    test('warns of those of a Lambda', async () => {
      const bias = variable(tensor(1), { name: 'bias of a Lambda' });
      const net = sequential({ layers: [layers.lambda((x) => add(x, bias)), layers.dense({ units: 1 })] });
      net.compile({ optimizer: 'sgd', loss: 'mse' });
      await net.fit(...data(4));
      expect(warnings().every((text) => text.includes("'bias of a Lambda'"))).toBe(true);
      expect(warnings()[1]).toMatch(/computes with trainable variables/);
    });

    describe('in a loop of the app', () => {
      /** Three steps of SGD for the weights of the model and for `others`. */
      const loop = (net: Layer, others: readonly Variable[] = [], call = (_: number) => net.apply(x())) => {
        const optimizer = optimizers.sgd();
        for (let step = 1; step <= 3; step++) {
          GradientTape.run((tape) => {
            const loss = mean(square(call(step)));
            const trained = [...net.trainableWeights, ...others];
            optimizer.apply(tape.gradient(loss, trained), trained);
          });
        }
      };

      test('warns once where the loop takes gradients without them', () => {
        loop(scaled(variable(tensor(2), { name: 'forgotten' })));
        expect(warnings()).toEqual([expect.stringMatching(/computes with trainable variables.*'forgotten'/)]);
        // Parts of a model that are called one by one have their own weights.
        const [untracked, top] = [new Untracked(variable(tensor(2), { name: 'of a part' })), dense()];
        loop(top, [], () => top.apply(untracked.apply(x())));
        expect(warnings()[1]).toContain("'of a part'");
        const bias = variable(tensor(1), { name: 'in a loop' });
        loop(sequential({ layers: [layers.lambda((x) => add(x, bias)), layers.dense({ units: 1 })] }));
        expect(warnings()[2]).toContain("'in a loop'");
      });

      test('warns of those that a regularizer reads', () => {
        const strength = variable(tensor(2), { name: 'strength' });
        const regularized = (kernelRegularizer: (w: Tensor) => Tensor) => {
          const net = sequential({ layers: [layers.dense({ units: 1, kernelRegularizer })] });
          const call = () => add(net.apply(x()), net.losses[0] as Tensor);
          return { net, call };
        };
        const { net, call } = regularized((w) => mul(mean(w), strength));
        loop(net, [strength], call);
        expect(warnings()).toEqual([]);
        const forgotten = regularized((w) => mul(mean(w), strength));
        // The optimizer already knows it.
        const other = variable(tensor(2), { name: 'forgotten strength' });
        const again = regularized((w) => mul(mean(w), other));
        loop(forgotten.net, [], forgotten.call);
        loop(again.net, [], again.call);
        expect(warnings()).toEqual([expect.stringMatching(/'forgotten strength', read by Sequential/)]);
      });

      test('finds those that a later call reads', () => {
        class Later extends Layer {
          readonly inner = dense();
          override call(x: Tensor, { training = false }: { training?: boolean } = {}): Tensor {
            return training ? mul(this.inner.apply(x), later) : this.inner.apply(x);
          }
        }
        const later = variable(tensor(2), { name: 'read later' });
        const net = new Later();
        loop(net, [], (step) => net.apply(x(), { training: step > 1 }));
        expect(warnings()).toEqual([expect.stringContaining("'read later'")]);
      });

      test('accepts those that the loop trains, and gradients of inputs', () => {
        const unknown = variable(tensor(2));
        loop(scaled(unknown), [unknown]);
        const net = scaled();
        const point = x();
        GradientTape.run((tape) => {
          tape.watch(point);
          return tape.gradient(net.apply(point), point);
        });
        expect(warnings()).toEqual([]);
      });
    });
  });

  test('warns of trainable layers that only the step calls', async () => {
    class Encoding extends Own {
      readonly #encoder: Layer;
      constructor(encoder: Layer) {
        super(descend);
        this.#encoder = encoder;
      }
      override trainStep({ x, y }: Batch) {
        return GradientTape.run((tape) => {
          const code = this.#encoder.apply(x as Tensor);
          const loss = mean(square(sub(this.apply(code), y as Tensor)));
          descend(this, loss, tape);
          return { loss };
        });
      }
    }
    const train = async (encoder: Layer) => {
      const net = new Encoding(encoder);
      net.compile({ optimizer: 'sgd' });
      await net.fit(...data(4));
    };
    await train(layers.dense({ units: 2, name: 'encoder' }));
    expect(warnings()).toEqual([
      expect.stringMatching(/a training step of 'encoding.* 'encoder'.*`trainable`/),
    ]);
    const trained = dense();
    trained.apply(x());
    optimizers.sgd().build(trained.trainableWeights);
    await train(trained);
    await train(dense(false));
    expect(warnings()).toHaveLength(1);
  });
});

describe('`trainable` changed after compile', () => {
  test('takes effect, with one warning that names the layers', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    net.getLayer('hidden').trainable = false;
    await net.fit(...data(4));
    await net.fit(...data(4));
    expect(warnings()).toEqual([expect.stringMatching(/`trainable` of 'hidden' changed.*compile again/)]);
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(...data(4));
    expect(warnings()).toHaveLength(1);
  });

  test('is rejected where the optimizer doesn’t know the weights', async () => {
    const net = regressor();
    net.getLayer('hidden').trainable = false;
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(...data(4));
    net.getLayer('hidden').trainable = true;
    await expect(net.fit(...data(4))).rejects.toThrow(
      /2 weights made trainable.*hidden\/kernel.*compile again/s,
    );
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(...data(4));
  });

  test('is seen in layers inside layers, before anything is built', async () => {
    const inner = layers.dense({ units: 2, name: 'innermost' });
    const net = sequential({ layers: [sequential({ layers: [inner] }), layers.dense({ units: 1 })] });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    inner.trainable = false;
    await net.fit(...data(4));
    expect(warnings()).toEqual([expect.stringContaining("'innermost'")]);
  });
});
