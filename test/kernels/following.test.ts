/** @file Chains of elementwise ops that a kernel computes where it stores what they read: fewer launches, the same bits. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  add,
  avgPool,
  conv2d,
  fusedMatMul,
  gelu,
  GradientTape,
  init,
  matMul,
  maxPool,
  mul,
  relu,
  type Tensor,
} from '../../src/index.ts';
import { profileFor, withProfile } from '../support/adapterClass.ts';
import { withConv2dAlgorithm } from '../support/algorithms.ts';
import { launchesOf, uniform } from '../support/launchesOf.ts';

beforeAll(async () => {
  await init();
});

type Program = (...inputs: Tensor[]) => Tensor[];

/** With software's kernels otherwise, which run faster here. */
function following(body: () => Promise<void>): Promise<void> {
  return withProfile({ ...profileFor('cpu'), elementwise: profileFor('gpu').elementwise }, body);
}

/** The gradient of a pool of relu(x), to x. */
const pooled =
  (pool: (y: Tensor) => Tensor): Program =>
  (x, dy) => {
    using tape = new GradientTape();
    tape.watch(x as Tensor);
    const y = pool(relu(x as Tensor));
    return [tape.gradient(y, x as Tensor, { outputGradients: dy as Tensor }) as Tensor];
  };

describe('a gradient of a pool also computes what follows', () => {
  it.each([
    ['maxima', [2, 8, 6, 8], [2, 4, 3, 8], (y: Tensor) => maxPool(y, { poolSize: 2 })],
    ['maxima of single channels', [2, 7, 5, 3], [2, 3, 2, 3], (y: Tensor) => maxPool(y, { poolSize: 2 })],
    [
      'overlapping maxima',
      [1, 7, 7, 4],
      [1, 3, 3, 4],
      (y: Tensor) => maxPool(y, { poolSize: 3, strides: 2 }),
    ],
    ['means', [2, 8, 6, 8], [2, 4, 3, 8], (y: Tensor) => avgPool(y, { poolSize: 2 })],
  ])('of %s', (name, x, dy, pool) =>
    following(async () => {
      const launches = await launchesOf(pooled(pool), [uniform(x, 1), uniform(dy, 2)]);
      // relu, the pool, positions of maxima if windows overlap, and the gradient with that of relu.
      expect(launches).toBe(name === 'overlapping maxima' ? 4 : 3);
    }),
  );
});

it('a pool whose gradient is needed itself stores it as well', () =>
  following(async () => {
    const program: Program = (x, dy) => {
      using tape = new GradientTape();
      tape.watch(x as Tensor);
      const y = maxPool(x as Tensor, { poolSize: 2 });
      const dx = tape.gradient(y, x as Tensor, { outputGradients: dy as Tensor }) as Tensor;
      return [dx, mul(dx, 3)];
    };
    expect(await launchesOf(program, [uniform([1, 4, 4, 4], 1), uniform([1, 2, 2, 4], 2)])).toBe(2);
  }));

describe('a product also computes what follows', () => {
  const operands = () => [uniform([8, 12], 1), uniform([12, 16], 2), uniform([16], 3), uniform([8, 16], 4)];

  it('a residual connection', () =>
    following(async () => {
      const program: Program = (a, b, bias, residual) => [
        add(residual as Tensor, fusedMatMul(a as Tensor, b as Tensor, bias as Tensor)),
      ];
      expect(await launchesOf(program, operands())).toBe(1);
      const odd = [uniform([5, 7], 1), uniform([7, 3], 2), uniform([3], 3), uniform([5, 3], 4)];
      expect(await launchesOf(program, odd)).toBe(1);
    }));

  it('an activation whose gradient reads the product', () =>
    following(async () => {
      const program: Program = (a, b, bias, dy) => {
        using tape = new GradientTape();
        tape.watch(a as Tensor);
        const y = gelu(fusedMatMul(a as Tensor, b as Tensor, bias as Tensor), { approximate: true });
        return [y, tape.gradient(y, a as Tensor, { outputGradients: dy as Tensor }) as Tensor];
      };
      // The product with the activation, the derivative of that, and the gradient.
      expect(await launchesOf(program, operands())).toBe(3);
    }));

  it('in parts of k, and of tiny matrices', () =>
    following(async () => {
      const long = [uniform([4, 6000], 1), uniform([6000, 4], 2), uniform([4, 4], 3)];
      const tiny = [uniform([300, 3, 3], 1), uniform([300, 3, 3], 2), uniform([300, 3, 3], 3)];
      const program: Program = (a, b, c) => [mul(matMul(a as Tensor, b as Tensor), c as Tensor)];
      expect(await launchesOf(program, long)).toBeLessThanOrEqual(2);
      expect(await launchesOf(program, tiny)).toBe(1);
    }));

  it.each([
    // A transform of the kernel, one of the image, the products, and the result.
    ['Winograd', { kind: 'winograd', block: 4 } as const, 4],
    ['an implicit GEMM', null, 1],
  ])('a convolution by %s', (_, algorithm, launches) =>
    following(async () => {
      const convolved = (x: Tensor, w: Tensor) => conv2d(x, w, { padding: 'same' });
      const program: Program = (x, w, y) => {
        const body = () => convolved(x as Tensor, w as Tensor);
        return [relu(add(algorithm ? withConv2dAlgorithm(algorithm, body) : body(), y as Tensor))];
      };
      const inputs = [uniform([1, 6, 5, 3], 1), uniform([3, 3, 3, 8], 2), uniform([1, 6, 5, 8], 3)];
      expect(await launchesOf(program, inputs)).toBe(launches);
    }),
  );

  it('gradients of a weight that is used several times, where each is computed', () =>
    following(async () => {
      const program: Program = (a, w, c) => {
        using tape = new GradientTape();
        tape.watch(w as Tensor);
        const y = add(matMul(a as Tensor, w as Tensor), matMul(c as Tensor, w as Tensor));
        return [tape.gradient(y, w as Tensor) as Tensor];
      };
      // Two products and their gradients, each pair with its sum, and a fill.
      const inputs = [uniform([8, 12], 1), uniform([12, 16], 2), uniform([8, 12], 3)];
      expect(await launchesOf(program, inputs)).toBe(5);
    }));

  it('not where the other operand is made after it', () =>
    following(async () => {
      const program: Program = (a, b, _, c) => {
        const product = matMul(a as Tensor, b as Tensor);
        const scores = matMul(c as Tensor, product, { transposeB: true });
        return [add(product, matMul(scores, product))];
      };
      // The last product takes the sum.
      expect(await launchesOf(program, operands())).toBe(3);
    }));
});
