/**
 * @file What the bodies of checkpoint and scan use from outside: gradients are those of the same program without checkpoint, or
 * with the loop written out, at the time of the call.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  cast,
  checkpoint,
  compile,
  customGradient,
  dropout,
  GradientTape,
  grad,
  grads,
  hvp,
  init,
  memory,
  mul,
  ones,
  scan,
  sin,
  square,
  stack,
  sum,
  type Tensor,
  tensor,
  tidy,
  unstack,
  type Variable,
  variable,
  vjp,
  vmap,
} from '../../src/index.ts';
import {
  dropout as dropoutLayer,
  embedding as embeddingLayer,
  lstm as lstmLayer,
} from '../../src/keras/layers/index.ts';
import { sgd as sgdOptimizer } from '../../src/keras/optimizers/index.ts';

beforeAll(async () => {
  await init();
});

type Body = (...inputs: Tensor[]) => Tensor;
/** `plain` calls the body itself. */
const ways = { plain: (f: Body) => f, checkpoint: checkpoint as (f: Body) => Body };
const values = async (tensors: readonly (Tensor | null)[]) =>
  Promise.all(tensors.map((t) => t?.array() ?? null));

/** Runs a program with and without checkpoint, which must agree. Returns the result. */
async function agree(program: (wrap: (f: Body) => Body) => readonly (Tensor | null)[]): Promise<unknown[]> {
  const plain = await values(program(ways.plain));
  expectClose(await values(program(ways.checkpoint)), plain);
  return plain;
}

/** Sums may be added in another order. */
function expectClose(found: unknown[], wanted: unknown[]): void {
  const [flatFound, flatWanted] = [found, wanted].map((all) => all.flat(9)) as (number | null)[][] as [
    (number | null)[],
    (number | null)[],
  ];
  expect(flatFound.length).toBe(flatWanted.length);
  for (const [i, value] of flatWanted.entries()) {
    if (value === null) expect(flatFound[i]).toBeNull();
    else
      expect(Math.abs((flatFound[i] as number) - value)).toBeLessThanOrEqual(
        1e-5 * Math.max(1, Math.abs(value)),
      );
  }
}

describe('checkpoint', () => {
  test('passes gradients on to tensors that its function closes over', async () => {
    const found = await agree((wrap) => {
      const [x, w] = [tensor([2, 3]), tensor([4, 6])];
      using tape = new GradientTape();
      tape.watch([x, w]);
      const h = mul(w, 5);
      const f = wrap((y) => mul(y, h));
      return tape.gradient(f(x), [x, w, h]);
    });
    expect(found).toEqual([
      [20, 30],
      [10, 15],
      [2, 3],
    ]);
  });

  test('takes a tensor from outside that is also an input, or passed twice, once', async () => {
    const x = tensor([2, 3]);
    expect(
      await agree((wrap) => [grad((y) => wrap((a, b) => mul(a as Tensor, b as Tensor))(y, y))(x)]),
    ).toEqual([[4, 6]]);
    expect(await agree((wrap) => [grad((y) => wrap((a) => mul(mul(a as Tensor, y), y))(y))(x)])).toEqual([
      [12, 27],
    ]);
    const v = variable(tensor([2]));
    expect(
      await agree((wrap) => {
        using tape = new GradientTape();
        return [tape.gradient(wrap((a, b) => mul(mul(a as Tensor, b as Tensor), v))(v, v), v)];
      }),
    ).toEqual([[12]]);
  });

  test('takes variables at their values at the time of the call', async () => {
    await agree((wrap) => {
      const [v, frozen] = [variable(tensor([3])), variable(tensor([5]), { trainable: false })];
      const x = tensor([2]);
      using tape = new GradientTape();
      tape.watch([x, frozen]);
      const y = wrap((a) => mul(mul(square(a as Tensor), v), frozen))(x);
      v.assign(tensor([100]));
      frozen.assign(tensor([200]));
      const found = tape.gradient(y, [x, v, frozen]);
      return [...found, v, frozen];
    });
  });

  test('assigns once, and reads what it has assigned', async () => {
    await agree((wrap) => {
      const [average, count] = [variable(tensor([1])), variable(tensor(0, { dtype: 'int32' }))];
      average.trainable = true;
      const x = tensor([2]);
      using tape = new GradientTape({ persistent: true });
      tape.watch(x);
      const f = wrap((a) => {
        const before = mul(a as Tensor, average);
        average.assign(add(mul(average, 0.5), a as Tensor));
        count.assign(add(count, 1));
        return add(before, mul(square(average), a as Tensor));
      });
      const y = f(f(x));
      const first = tape.gradient(y, [x, average]);
      average.assign(tensor([7]));
      return [...first, ...tape.gradient(y, [x, average]), average, count];
    });
  });

  test('writes variables in place only once', async () => {
    await agree((wrap) => {
      const v = variable(tensor([1, 2]));
      const sgd = sgdOptimizer(0.5);
      const x = tensor([2, 3]);
      using tape = new GradientTape();
      tape.watch(x);
      const f = wrap((a) => {
        const y = mul(square(a as Tensor), v);
        sgd.apply([tensor([1, 1])], [v]);
        return mul(y, v);
      });
      const y = f(x);
      return [tape.gradient(y, x), v];
    });
  });

  test('works after the tensors from outside were disposed of', async () => {
    const found = await agree((wrap) => {
      const [x, w] = [tensor([2, 3]), tensor([4, 6])];
      using tape = new GradientTape({ persistent: true });
      tape.watch([x, w]);
      const y = tidy(() => {
        const h = sin(mul(w, 5));
        const k = cast(tensor([2, 3], { dtype: 'int32' }), 'int32');
        const f = wrap((a) => mul(mul(square(a as Tensor), h), cast(k, 'float32')));
        return f(mul(x, 1));
      });
      x.dispose();
      w.dispose();
      return [...tape.gradient(y, [x, w]), ...tape.gradient(y, [x, w])];
    });
    expect(found[0]).toEqual(found[2]);
  });

  test('nested, in one another and in tapes', async () => {
    await agree((wrap) => {
      const [x, v] = [tensor([0.3, 0.5]), variable(tensor([2, 3]))];
      const c = tensor([1.5, 0.5]);
      const inner = (h: Tensor) => wrap((a) => mul(sin(mul(a as Tensor, h)), v));
      const outer = wrap((a) => {
        const h = mul(square(a as Tensor), c);
        const y = inner(h)(a as Tensor);
        v.assign(add(v, 1));
        return add(y, inner(h)(y));
      });
      using tape = new GradientTape();
      tape.watch([x, c]);
      const dx = grad((y) => outer(y))(x);
      const total = add(sum(outer(x)), sum(mul(dx, dx)));
      v.assign(tensor([50, 60]));
      return [...tape.gradient(total, [x, v, c]), v];
    });
  });

  test('second derivatives, by its inputs and by tensors from outside', async () => {
    const [x, w] = [tensor([0.3, 0.5]), tensor([2, 3])];
    await agree((wrap) => {
      const f = (a: Tensor, b: Tensor) => {
        const h = square(b);
        return sum(wrap((y) => mul(sin(mul(y as Tensor, h)), b))(a));
      };
      return [
        ...hvp(f, [x, w], [tensor([1, 2]), tensor([3, 5])]),
        grad((b) => sum(square(grad((a) => f(a, b))(x))))(w),
        grad((a) => sum(square(grad((b) => f(a, b))(w))))(x),
      ];
    });
  });

  test('a tensor that only the outer of two tapes watches', async () => {
    await agree((wrap) => {
      const [x, w] = [tensor([2, 3]), tensor([4, 6])];
      using outer = new GradientTape();
      outer.watch(w);
      const dx = grad((y) => sum(wrap((a) => mul(square(a as Tensor), w))(y)))(x);
      return [outer.gradient(sum(square(dx)), w)];
    });
  });

  test('in vmap, closing over mapped and shared tensors, which are freed before the gradient', async () => {
    const xs = tensor([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    const [w, hs] = [tensor([2, 3]), tensor([1, 2, 3])];
    await agree((wrap) => {
      const one = (x: Tensor, h: Tensor) => {
        const g = mul(h, w);
        return wrap((a) => mul(square(a as Tensor), mul(g, w)))(mul(x, 2));
      };
      const total = (a: Tensor, b: Tensor, c: Tensor) =>
        sum(vmap((x: Tensor, h: Tensor) => mul(one(x, h), c))(a, b));
      return [
        ...grads(total)([xs, hs, w]),
        ...vmap((x: Tensor, h: Tensor) => grads((a, b) => sum(one(a, b)))([x, h]))(xs, hs),
        grad((b) => sum(square(grad((a) => total(a, b, w))(xs))))(hs),
      ];
    });
  });

  test('around a map of a tensor from outside', async () => {
    const [x, w] = [tensor([2, 3]), tensor([4, 6])];
    await agree((wrap) => {
      using tape = new GradientTape();
      tape.watch([x, w]);
      const y = tidy(() => {
        const h = square(w);
        return wrap((a) => mul(a as Tensor, vmap((g: Tensor) => mul(g, g))(h)))(x);
      });
      return tape.gradient(sum(y), [x, w]);
    });
  });

  test('around scans, maps and functions with custom gradients, and inside them', async () => {
    const [x, w] = [tensor([0.2, 0.3]), variable(tensor([0.5, 0.7]))];
    const steep = customGradient((a) => ({ value: sin(a), gradient: (dy) => mul(dy, 3) }));
    await agree((wrap) => {
      using tape = new GradientTape();
      tape.watch(x);
      const h = mul(w, 2);
      const body = wrap((c, a) => add(mul(sin(c as Tensor), h), mul(a as Tensor, w)));
      const outer = wrap((a) => {
        const rows = stack([a as Tensor, steep(a as Tensor), h, w, square(a as Tensor)]);
        const [last, ys] = scan(
          (c: Tensor, row: Tensor) => [body(c, row), mul(body(row, c), h)] as const,
          a as Tensor,
          rows,
        );
        return add(last, sum(vmap((row: Tensor) => mul(body(row, a as Tensor), w))(ys), { axis: 0 }));
      });
      return tape.gradient(outer(x), [x, w, h]);
    });
  });

  test('compiled, with variables that are assigned between calls', async () => {
    const v = variable(tensor([2]));
    const w = variable(tensor([1]));
    const step = (wrap: (f: Body) => Body) => (x: Tensor) => {
      using tape = new GradientTape();
      tape.watch(x);
      const h = mul(w, 3);
      const y = wrap((a) => {
        v.assign(add(v, a as Tensor));
        return mul(mul(square(a as Tensor), h), v);
      })(x);
      w.assign(add(w, 1));
      return tape.gradient(y, [x, w, v, h]);
    };
    const all: unknown[] = [];
    for (const wrap of Object.values(ways)) {
      using compiled = compile(step(wrap));
      v.assign(tensor([2]));
      w.assign(tensor([1]));
      const runs = [];
      for (let i = 1; i <= 4; i++) {
        runs.push(await values([...compiled(tensor([i])), v, w]));
        if (i === 2) w.assign(tensor([9]));
      }
      expect(compiled.explain()).toMatchObject([{ captured: true, frozen: [] }]);
      all.push(runs);
    }
    expect(all[1]).toEqual(all[0]);
  });

  test('a gradient that is taken in a compiled function, of a call outside of it', async () => {
    const v = variable(tensor([2]));
    const drop = new Array(64).fill(1);
    const { value, pullback } = vjp(
      checkpoint((x: Tensor) => mul(dropout(x, { rate: 0.5 }), v)) as (x: Tensor) => Tensor,
      [tensor(drop)],
    );
    v.assign(tensor([7]));
    using compiled = compile((dy: Tensor) => {
      const [dx] = pullback(dy);
      v.assign(add(v, 1));
      return dx;
    });
    for (let i = 1; i < 4; i++) {
      expect(await compiled(tensor(drop)).array()).toEqual(await value.array());
      expect(await v.array()).toEqual([7 + i]);
    }
    pullback.dispose();
  });

  test('layers with seeds of their own repeat their masks, eagerly and compiled', async () => {
    const drop = dropoutLayer({ rate: 0.5, seed: 3 });
    const x = tensor(new Array(64).fill(1));
    const f = checkpoint((a: Tensor) => drop.apply(a, { training: true }) as Tensor);
    const step = (a: Tensor) => {
      using tape = new GradientTape();
      tape.watch(a);
      const [first, second] = [f(a), f(a)];
      return [first, second, ...tape.gradient(add(first, mul(second, 3)), [a])] as Tensor[];
    };
    using compiled = compile(step);
    const masks = new Set<string>();
    for (const run of [step, step, compiled, compiled, compiled]) {
      const [first, second, dx] = (await values(run(x))) as number[][];
      expect(dx).toEqual(first?.map((y, i) => y + 3 * (second?.[i] as number)));
      masks.add(String(first)).add(String(second));
    }
    expect(masks.size).toBe(10);
    expect(compiled.explain()).toMatchObject([{ captured: true, frozen: [] }]);
  });

  test('masks of its inputs hold at the second run, and its result keeps its mask', async () => {
    const embedding = embeddingLayer({ inputDim: 5, outputDim: 3, maskZero: true });
    const lstm = lstmLayer({ units: 2 });
    const ids = tensor([
      [1, 2, 0, 0],
      [3, 0, 0, 0],
    ]);
    lstm.apply(embedding.apply(ids));
    const weights = () => [...embedding.trainableWeights, ...lstm.trainableWeights] as Variable[];
    await agree((wrap) => {
      using tape = new GradientTape();
      const x = embedding.apply(ids) as Tensor;
      const y = wrap((a) => lstm.apply(a as Tensor) as Tensor)(x);
      return tape.gradient(sum(y), weights());
    });
    await agree((wrap) => {
      using tape = new GradientTape();
      const y = tidy(() => {
        const x = embedding.apply(ids) as Tensor;
        return wrap(() => lstm.apply(wrap(() => mul(x, 1))()) as Tensor)();
      });
      return tape.gradient(sum(y), weights());
    });
    await agree((wrap) => [lstm.apply(wrap((a) => embedding.apply(a as Tensor) as Tensor)(ids)) as Tensor]);
  });

  test('takes and returns trees', async () => {
    const f = checkpoint(({ a, b }: { a: Tensor; b: Tensor }, [c]: readonly [Tensor]) => ({
      sum: add(mul(a, b), c),
      parts: [square(a), cast(c, 'int32')] as const,
    }));
    const [a, b, c] = [tensor([2]), tensor([3]), tensor([4])];
    using tape = new GradientTape({ persistent: true });
    tape.watch([a, b, c]);
    const { sum: total, parts } = f({ a, b }, [c]);
    expect(await values([total, ...parts])).toEqual([[10], [4], [4]]);
    expect(parts[1].dtype).toBe('int32');
    expect(await values(tape.gradient([total, parts[0]], [a, b, c]))).toEqual([[7], [2], [1]]);
    expect(await values(tape.gradient(parts[0], [a, b, c]))).toEqual([[4], null, null]);
    expect(total.kerasHistory?.operation.name).toBe('checkpoint');
  });

  test('rejects other results, and a second run with other results', () => {
    const x = tensor([1]);
    expect(() => checkpoint((() => 3) as never)(x)).toThrow(/^checkpoint: .*the result: 3/s);
    expect(() => checkpoint(() => ({ a: [] as Tensor[] }))()).toThrow(/at least one tensor/);
    expect(() => checkpoint((() => null) as never)(x)).toThrow(/^checkpoint: .*null/s);
    let runs = 0;
    const changing = checkpoint((a: Tensor) => (runs++ === 0 ? [a] : [a, a]));
    expect(() => grad((a) => changing(a)[0] as Tensor)(x)).toThrow(/computes the same.*after 1 tensor/s);
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(() => checkpoint((a: unknown) => a as Tensor)(cyclic as never)).toThrow(/nest at most/);
  });

  test('leaves nothing behind, and keeps no intermediate values', async () => {
    const w = variable(ones([4096]));
    const deep = (x: Tensor) => {
      const h = square(x);
      return checkpoint((a: Tensor) => {
        let y = mul(a, ones([4096]));
        for (let i = 0; i < 8; i++) y = sin(mul(mul(y, h), w));
        return y;
      })(x) as Tensor;
    };
    const x = ones([4096]);
    const run = () =>
      tidy(() => {
        using tape = new GradientTape();
        tape.watch(x);
        const y = deep(x);
        const { bytes } = memory();
        tape.gradient(y, [x, w]);
        return bytes;
      });
    run();
    const before = memory();
    const during = run();
    expect(memory()).toMatchObject({
      tensors: before.tensors,
      bytes: before.bytes,
      openTapes: before.openTapes,
    });
    // h and the result.
    expect(during - before.bytes).toBeLessThanOrEqual(2 * w.bytes);
  });
});

describe('scan', () => {
  /** `scan` with its loop written out. */
  const unrolled = ((
    f: (carry: Tensor, x: Tensor) => readonly [Tensor, Tensor],
    start: Tensor,
    xs: Tensor,
    { reverse = false } = {},
  ) => {
    let carry = start;
    const rows = unstack(xs);
    const ys: Tensor[] = [];
    for (const t of reverse ? [...rows.keys()].reverse() : rows.keys())
      [carry, ys[t]] = f(carry, rows[t] as Tensor) as [Tensor, Tensor];
    return [carry, stack(ys)];
  }) as typeof scan;

  async function agreeUnrolled(program: (loop: typeof scan) => readonly (Tensor | null)[]) {
    expectClose(await values(program(scan)), await values(program(unrolled)));
  }

  const lengths = [1, 2, 3, 4, 6];
  const rows = (n: number) => tensor(Array.from({ length: n }, (_, i) => [0.1 * i + 0.2, 0.3 - 0.05 * i]));

  test.each(lengths)('of %i steps takes variables at the time of the call', async (n) => {
    await agreeUnrolled((loop) => {
      const [v, w] = [variable(tensor([0.5, 0.7])), tensor([1.1, 1.3])];
      const xs = rows(n);
      using tape = new GradientTape();
      tape.watch([xs, w]);
      const y = tidy(() => {
        const h = mul(w, 2);
        const [last, ys] = loop(
          (c: Tensor, x: Tensor) => {
            const next = add(mul(sin(c), v), mul(x, h));
            return [next, mul(next, w)] as const;
          },
          tensor([0.1, 0.2]),
          xs,
        );
        return add(sum(last), sum(square(ys)));
      });
      v.assign(tensor([50, 60]));
      return [...tape.gradient(y, [xs, v, w]), v];
    });
  });

  test.each(lengths)('of %i steps assigns once, step by step', async (n) => {
    for (const reverse of [false, true]) {
      await agreeUnrolled((loop) => {
        const [v, count] = [variable(tensor([0.5, 0.7])), variable(tensor(0, { dtype: 'int32' }))];
        const [xs, start] = [rows(n), tensor([0.1, 0.2])];
        using tape = new GradientTape({ persistent: true });
        tape.watch([xs, start]);
        const [last, ys] = loop(
          (c: Tensor, x: Tensor) => {
            const next = mul(add(c, x), v);
            v.assign(add(mul(v, 0.9), x));
            count.assign(add(count, 1));
            return [next, mul(next, add(v, cast(count, 'float32')))] as const;
          },
          start,
          xs,
          { reverse },
        );
        const y = add(sum(last), sum(square(ys)));
        const first = tape.gradient(y, [xs, v, start]);
        v.assign(tensor([5, 6]));
        const second = tape.gradient(y, [xs, v, start]);
        return [...first, ...second, v, count];
      });
    }
  });

  test('second derivatives with variables that the body assigns', async () => {
    await agreeUnrolled((loop) => {
      const [v, w] = [variable(tensor([0.5, 0.7])), tensor([1.1, 1.3])];
      const total = (xs: Tensor, b: Tensor) => {
        const h = square(b);
        const [last, ys] = loop(
          (c: Tensor, x: Tensor) => {
            const next = sin(mul(add(c, mul(x, h)), v));
            v.assign(add(mul(v, 0.9), x));
            return [next, mul(next, v)] as const;
          },
          tensor([0.1, 0.2]),
          xs,
        );
        return add(sum(last), sum(ys));
      };
      return [...hvp(total, [rows(5), w], [rows(5), tensor([1, 2])]), v];
    });
  });

  test('inside compile, maps and checkpoints', async () => {
    await agreeUnrolled((loop) => {
      const v = variable(tensor([0.5, 0.7]));
      const batch = stack([rows(5), mul(rows(5), 2)]);
      const w = tensor([1.1, 1.3]);
      const total = (all: Tensor, b: Tensor) =>
        sum(
          vmap((xs: Tensor) => {
            const h = mul(b, sum(xs));
            return checkpoint((y: Tensor) => {
              const [last, ys] = loop(
                (c: Tensor, x: Tensor) => {
                  const next = checkpoint((a: Tensor) => sin(mul(add(a, mul(x, h)), v)))(c) as Tensor;
                  return [next, mul(next, b)] as const;
                },
                tensor([0.1, 0.2]),
                y,
              );
              return add(sum(last), sum(ys));
            })(xs) as Tensor;
          })(all),
        );
      const step = compile((all: Tensor, b: Tensor) => {
        using tape = new GradientTape();
        tape.watch([all, b]);
        const gradients = tape.gradient(total(all, b), [all, b, v]) as Tensor[];
        v.assign(add(v, 0.1));
        return gradients;
      });
      const results = [...step(batch, w), ...step(batch, w), ...step(batch, w), v];
      step.dispose();
      return results;
    });
  });

  test('a loop of no step assigns nothing', async () => {
    const v = variable(tensor([1]));
    const loop = () =>
      scan(
        (c: Tensor, x: Tensor) => {
          v.assign(add(v, 1));
          return [mul(c, add(v, x)), null] as const;
        },
        tensor([2]),
        tensor([], { shape: [0, 1] }),
      )[0];
    loop();
    using tape = new GradientTape();
    expect(await values(tape.gradient(loop(), [v]))).toEqual([[0]]);
    expect(await v.array()).toEqual([1]);
  });

  test('layers with seeds of their own repeat their masks at each step', async () => {
    const drop = dropoutLayer({ rate: 0.5, seed: 3 });
    const xs = ones([5, 64]);
    const step = (all: Tensor) => {
      using tape = new GradientTape();
      tape.watch(all);
      const [, ys] = scan(
        (c: Tensor, x: Tensor) => [c, drop.apply(x, { training: true }) as Tensor] as const,
        tensor([0]),
        all,
      );
      return [ys, tape.gradient(ys, all) as Tensor];
    };
    using compiled = compile(step);
    const masks = new Set<string>();
    for (const run of [step, step, compiled, compiled, compiled]) {
      const [ys, dx] = (await values(run(xs))) as number[][][];
      expect(dx).toEqual(ys);
      for (const row of ys as number[][]) masks.add(String(row));
    }
    expect(masks.size).toBe(25);
  });
});
