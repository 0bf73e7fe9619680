/** @file Reductions of elementwise chains in compiled functions: one launch, with the bits of separate ones. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  abs,
  all,
  any,
  cast,
  exp,
  GradientTape,
  greater,
  init,
  max,
  mean,
  min,
  moments,
  mul,
  prod,
  reshape,
  sin,
  softmax,
  square,
  squaredDifference,
  sub,
  sum,
  type Tensor,
  tensor,
  variance,
  where,
} from '../../src/index.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { launchesOf, uniform } from '../support/launchesOf.ts';

beforeAll(async () => {
  await init();
});

type Program = (...inputs: Tensor[]) => Tensor | Tensor[];

/** Each leads to a reduction. */
const chains: Record<string, Program> = {
  'a product': (x, y) => sum(mul(x, y as Tensor), { axis: 1 }),
  'a product, along columns': (x, y) => sum(mul(x, y as Tensor), { axis: 0 }),
  'an error': (x, y) => mean(abs(sub(x, y as Tensor)), { axis: 1 }),
  'a scaled square': (x) => mean(mul(square(x), 0.3), { axis: 0 }),
  'a comparison': (x) => any(greater(x, 0.99), { axis: 1 }),
  'a comparison, along columns': (x) => all(greater(x, -0.99), { axis: 0 }),
  'an exponential': (x) => max(exp(x), { axis: 1 }),
  'a variance': (x, y) => variance(sub(x, y as Tensor), { axis: 1 }),
  'two results': (x) => moments(mul(x, 3), { axis: 0 }),
  integers: (x) => prod(cast(mul(x, 4), 'int32'), { axis: 1 }),
  'a selection by flags': (x, y) => min(where(greater(x, 0), x, y as Tensor), { axis: 1 }),
  'floats from flags': (x) => mean(cast(greater(x, 0), 'float32'), { axis: 1 }),
};

describe.each(adapterClasses)('on a %s, a reduction computes', (kind) => {
  const shapes = [
    [3, 10],
    [5, 64],
    [400, 10],
    [37, 144],
    [64, 1024],
    [1030, 36],
  ];
  it.each(Object.entries(chains))('%s', (_, program) =>
    asAdapter(kind, async () => {
      for (const shape of shapes) {
        const launches = await launchesOf(program, [uniform(shape, 1), uniform(shape, 2)]);
        // Columns of long tensors may be split, which takes a second launch.
        expect(launches, `shape [${shape}]`).toBeLessThanOrEqual(2);
        if (shape[0] === 3) expect(launches).toBe(1);
      }
    }),
  );

  it('all elements of a tensor', () =>
    asAdapter(kind, async () => {
      const program: Program = (x, y) => mean(squaredDifference(x, y as Tensor));
      expect(await launchesOf(program, [uniform([7, 9], 1), uniform([7, 9], 2)])).toBe(1);
      const [x, y] = [uniform([300, 1000], 1), uniform([300, 1000], 2)];
      const reduction = await launchesOf((x) => mean(x), [x]);
      expect(await launchesOf(program, [x, y])).toBe(reduction);
    }));

  it('elements of axes in the middle', () =>
    asAdapter(kind, async () => {
      const program: Program = (x) => sum(square(x), { axis: [1, 2] });
      expect(await launchesOf(program, [uniform([4, 6, 6, 8], 1)])).toBe(1);
    }));

  it.each([
    ['of lines', [12, 1], 1],
    ['of columns', [64], 1],
    ['of both', [1, 1], 1],
  ])('elements next to operands %s', (_, shape, launches) =>
    asAdapter(kind, async () => {
      for (const axis of [0, 1]) {
        const program: Program = (x, y) => sum(square(sub(x, y as Tensor)), { axis });
        expect(await launchesOf(program, [uniform([12, 64], 1), uniform(shape, 2)])).toBe(launches);
      }
    }),
  );

  it('elements next to two operands that broadcast', () =>
    asAdapter(kind, async () => {
      const program: Program = (x, rows, columns) =>
        sum(mul(sub(x, rows as Tensor), columns as Tensor), { axis: 2 });
      const inputs = [uniform([3, 8, 32], 1), uniform([3, 8, 1], 2), uniform([3, 1, 32], 3)];
      expect(await launchesOf(program, inputs)).toBe(1);
    }));
});

describe('a reduction has a launch of its own', () => {
  const x = () => uniform([16, 64], 1);

  it('where its elements are needed elsewhere', async () => {
    const program: Program = (x) => {
      const y = square(x);
      return [sum(y, { axis: 1 }), y];
    };
    expect(await launchesOf(program, [x()])).toBe(2);
  });

  it('where two reductions have the same elements', async () => {
    const program: Program = (x) => {
      const y = square(x);
      return [sum(y, { axis: 1 }), max(y, { axis: 0 })];
    };
    expect(await launchesOf(program, [x()])).toBe(3);
  });

  it('where each element would have to be located', async () => {
    const program: Program = (x, y) => sum(mul(x, y as Tensor), { axis: 1 });
    expect(await launchesOf(program, [uniform([16, 33], 1), uniform([33], 2)])).toBe(2);
  });

  it('after a kernel that has large angles apart', async () => {
    // Only software adapters have a separate kernel for them.
    const program: Program = (x) => sum(sin(mul(x, 2)), { axis: 1 });
    expect(await asAdapter('cpu', () => launchesOf(program, [uniform([256, 256], 1)]))).toBe(3);
  });

  it('if it is another kernel', async () => {
    expect(await launchesOf((x) => softmax(square(x)), [x()])).toBe(2);
  });
});

it('the end of a chain alone goes into the reduction if the rest is stored', async () => {
  const program: Program = (x, y) => {
    const difference = sub(x, y as Tensor);
    return [mean(square(difference)), difference];
  };
  expect(await launchesOf(program, [uniform([8, 7], 1), uniform([8, 7], 2)])).toBe(2);
});

it('a step that the rest of the chain needs, but that is not stored, keeps the chain whole', async () => {
  const program: Program = (x) => {
    const y = exp(x);
    return [mul(y, 2), sum(mul(y, 3), { axis: 1 })];
  };
  expect(await launchesOf(program, [uniform([8, 32], 1)])).toBe(2);
});

it('two reductions take the ends of one chain', async () => {
  const program: Program = (x, y) => {
    const [a, b] = [square(x), abs(y as Tensor)];
    return [sum(a, { axis: 1 }), max(b, { axis: 0 })];
  };
  expect(await launchesOf(program, [uniform([8, 32], 1), uniform([8, 32], 2)])).toBe(2);
});

it('elements under another shape are reduced in that shape', async () => {
  const program: Program = (x) => sum(reshape(square(x), { shape: [4, 32] }), { axis: 0 });
  expect(await launchesOf(program, [uniform([8, 16], 1)])).toBe(1);
});

it('the elements may be values that the reduction takes as another operand', async () => {
  const x = tensor([1, 2, 3, 4]);
  expect(await launchesOf((x) => sum(mul(square(x), square(x))), [x])).toBe(1);
});

it('a loss is computed next to its gradient', async () => {
  const program: Program = (x, y) => {
    using tape = new GradientTape();
    tape.watch(x);
    const loss = mean(squaredDifference(x, y as Tensor));
    return [loss, tape.gradient(loss, x) as Tensor];
  };
  // The loss, the cotangent of an element, and the gradient.
  expect(await launchesOf(program, [uniform([8, 7], 1), uniform([8, 7], 2)])).toBe(3);
});
