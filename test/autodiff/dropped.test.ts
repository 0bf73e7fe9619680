/** @file Compiled functions that are dropped without `dispose` give back everything they held. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  checkpoint,
  compile,
  type CompiledFunction,
  dropout,
  GradientTape,
  gather,
  init,
  keep,
  matMul,
  mean,
  mul,
  onReplay,
  ones,
  randomUniform,
  reshape,
  square,
  sub,
  type Tensor,
  tensor,
  tidy,
  type Variable,
  variable,
  warmup,
} from '../../src/index.ts';
import { type Alive, collectAll, collectUntil } from '../support/collectGarbage.ts';

beforeAll(async () => {
  await init();
});

const rounds = 2;
const functionsPerUse = 2;

const weight = (seed = 1) => variable(randomUniform([3, 3], { seed }));
const batch = (rows: number) => randomUniform([rows, 3], { seed: rows });

/** Calls `fn` often enough to be replayed, for inputs of two shapes. */
function callOften(fn: (x: Tensor) => unknown): void {
  for (const rows of [2, 5, 2, 5, 2]) tidy(() => void fn(batch(rows)));
}

/** One step of gradient descent. */
function descend(kernel: Variable, x: Tensor): Tensor {
  using tape = new GradientTape();
  const loss = mean(square(matMul(x, kernel)));
  kernel.assign(sub(kernel, mul(tape.gradient(loss, kernel) as Tensor, 0.1)));
  return loss;
}

/** Pieces of work that compile functions, and don't keep them. */
const uses: Record<string, () => void | Promise<void>> = {
  'that read a variable': () => {
    const w = weight();
    callOften(compile((x: Tensor) => matMul(x, w)));
  },
  'that assign a variable': () => {
    const w = weight();
    callOften(compile((x: Tensor) => descend(w, x)));
  },
  'that return variables, and views of them': () => {
    const w = weight();
    callOften(compile(() => ({ w, flat: reshape(w, { shape: [9] }) })));
  },
  'that return constants': () => {
    const found = ones([100]);
    callOften(compile(() => reshape(found, { shape: [10, 10] })));
  },
  'that exchange variables': () => {
    const [a, b] = [weight(1), weight(2)];
    callOften(
      compile(() => {
        const [first, second] = [add(a, 0), add(b, 0)];
        a.assign(second);
        b.assign(first);
      }),
    );
  },
  'that draw seeds, and have effects': () => {
    const w = weight();
    const state = { w, calls: 0 };
    callOften(
      compile((x: Tensor) => {
        onReplay(() => {
          state.calls++;
        });
        return checkpoint((y: Tensor) => matMul(dropout(y, { rate: 0.5 }), state.w))(x);
      }),
    );
  },
  'that have faults to report': async () => {
    const w = weight();
    const fn = compile((indices: Tensor) => gather(w, indices));
    const indices = tensor([0, 2], { dtype: 'int32' });
    for (let i = 0; i < 3; i++) fn(indices);
    // One readback collects the checks, the next releases them.
    for (let i = 0; i < 2; i++) await tidyData(() => ones([1]));
  },
  'with large results': () => {
    const w = variable(ones([200, 200]));
    const fn = compile((x: Tensor) => add(w, x));
    const kept: Tensor[] = [];
    for (let i = 0; i < 4; i++) kept.push(fn(ones([200, 200])) as Tensor);
  },
  'whose results stay for a while': async () => {
    const results = (() => {
      const w = weight();
      const fn = compile((x: Tensor) => matMul(x, w));
      return [batch(2), batch(2), batch(3)].map((x) => fn(x) as Tensor);
    })();
    await collectAll();
    for (const result of results) expect((await result.data()).some(Number.isNaN)).toBe(false);
  },
  'of variables that are arguments': () => {
    const fn = compile((w: Variable, x: Tensor) => descend(w, x));
    for (const w of [weight(1), weight(2)]) callOften((x) => fn(w, x));
  },
  'that call others': () => {
    const w = weight();
    const inner = compile((x: Tensor) => descend(w, x));
    callOften(compile((x: Tensor) => mul(inner(x) as Tensor, 2)));
    callOften(inner as CompiledFunction<[Tensor], Tensor>);
  },
  'that refer to themselves': () => {
    const holder: { w: Variable; fn?: unknown } = { w: weight() };
    const fn = compile((x: Tensor) => descend(holder.w, x));
    holder.fn = fn;
    callOften(fn);
  },
  'that cannot be captured': () => {
    const w = weight();
    const kept: Tensor[] = [];
    callOften(
      compile((x: Tensor) => {
        kept.push(keep(matMul(x, w)));
        return descend(w, x);
      }),
    );
    callOften(compile((x: Tensor) => descend(weight(), x)));
  },
  'that throw': () => {
    const w = weight();
    const fn = compile((x: Tensor) => {
      descend(w, x);
      w.assign(mul(w, 2));
      throw new Error('no');
    });
    callOften((x) => {
      try {
        fn(x);
      } catch {
        return null;
      }
    });
  },
  'of more signatures than are kept': () => {
    const w = weight();
    const fn = compile((x: Tensor) => descend(w, x), { maxSignatures: 2 });
    for (const rows of [1, 2, 3, 1, 2, 3]) fn(batch(rows));
  },
  'that were disposed of, and called again': () => {
    const w = weight();
    const fn = compile((x: Tensor) => descend(w, x));
    callOften(fn);
    fn.dispose();
    callOften(fn);
  },
  'whose variables were shared between calls': () => {
    const w = weight();
    const fn = compile((x: Tensor) => descend(w, x));
    for (let i = 0; i < 4; i++) {
      fn(batch(2));
      const copy = variable(w);
      fn(batch(2));
      w.assign(copy);
    }
  },
  'that were prepared by a dry run': async () => {
    const w = weight();
    const fn = compile((x: Tensor) => descend(w, x));
    await warmup(fn, { shape: [2, 3] });
    callOften(fn);
  },
  'under tapes': () => {
    const w = weight();
    const fn = compile((x: Tensor) => matMul(x, w));
    callOften((x) => {
      using tape = new GradientTape({ persistent: true });
      const y = mean(fn(x) as Tensor);
      return tape.gradient(y, w);
    });
  },
};

describe('compiled functions give back what they hold', () => {
  let start: Alive;

  beforeAll(async () => {
    // What is made once for all functions (constants, pipelines) is made here.
    for (const use of Object.values(uses)) await use();
    start = await collectAll();
  });

  test.each(Object.entries(uses))('%s', async (_, use) => {
    for (let i = 0; i < functionsPerUse; i++) await use();
    expect(await collectUntil(start)).toEqual(start);
  });

  test('and leave variables that live on as they are', async () => {
    const w = weight();
    const step = () => {
      callOften(compile((x: Tensor) => descend(w, x)));
    };
    step();
    const start = await collectAll();
    for (let i = 0; i < rounds; i++) {
      step();
      expect(await collectUntil(start)).toEqual(start);
    }
    expect((await w.data()).every(Number.isFinite)).toBe(true);
    w.dispose();
  });

  test('while one of them lives on', async () => {
    const w = weight();
    const kept = compile((x: Tensor) => matMul(x, w)) as CompiledFunction<[Tensor], Tensor>;
    const x = batch(2);
    const expected = [...(await kept(x).data())];
    const other = () => callOften(compile((input: Tensor) => add(matMul(input, w), 1)));
    other();
    const start = await collectAll();
    for (let i = 0; i < rounds; i++) {
      other();
      expect(await collectUntil(start)).toEqual(start);
      expect([...(await tidyData(() => kept(x)))]).toEqual(expected);
    }
    kept.dispose();
    w.dispose();
    x.dispose();
  });
});

/** Returns the values of what `make` returns, which is freed. */
async function tidyData(make: () => Tensor): Promise<ArrayLike<number> & Iterable<number>> {
  using made = make();
  return made.data();
}
