/** @file Gradients are nullable where they may be null, and keep the form of the sources. */
import { beforeAll, expect, expectTypeOf, test } from 'vitest';
import { GradientTape, init, mul, sum, type Tensor, tensor, variable } from '../../src/index.ts';

type Gradient = Tensor<'float32'> | null;

beforeAll(async () => {
  await init();
});

function recorded() {
  const [a, b] = [variable(tensor([1, 2])), variable(tensor([3, 4]))];
  const tape = new GradientTape({ persistent: true });
  return { a, b, tape, loss: sum(mul(a, a)) };
}

test('a gradient may be null', () => {
  using tape = recorded().tape;
  const { a, b, loss, tape: own } = recorded();
  expectTypeOf(own.gradient(loss, a)).toEqualTypeOf<Gradient>();
  expectTypeOf(own.gradient(loss, [a, b])).toEqualTypeOf<[Gradient, Gradient]>();
  expectTypeOf(own.gradient(loss, { a, b })).toEqualTypeOf<{ a: Gradient; b: Gradient }>();
  const list: Tensor[] = [a, b];
  expectTypeOf(own.gradient(loss, list)).toEqualTypeOf<Gradient[]>();
  expect(own.gradient(loss, b)).toBeNull();
  own.dispose();
  expect(tape.persistent).toBe(true);
});

test('zeros for unconnected sources are no null', async () => {
  const { a, b, tape, loss } = recorded();
  const zero = { unconnectedGradients: 'zero' } as const;
  expectTypeOf(tape.gradient(loss, b, { unconnectedGradients: 'zero' })).toEqualTypeOf<Tensor<'float32'>>();
  const [da, db] = tape.gradient(loss, [a, b], { unconnectedGradients: 'zero' });
  expect(await da.array()).toEqual([2, 4]);
  expect(await db.array()).toEqual([0, 0]);
  expectTypeOf(tape.gradient(loss, { a }, zero)).toEqualTypeOf<{ a: Tensor<'float32'> }>();
  expectTypeOf(tape.jacobian(loss, b, zero)).toEqualTypeOf<Tensor<'float32'>>();
  expectTypeOf(tape.jacobian(loss, b)).toEqualTypeOf<Gradient>();
  tape.dispose();
});

test('options that gradient does not know are rejected', () => {
  const { a, tape, loss } = recorded();
  // @ts-expect-error: it is unconnectedGradients.
  expect(() => tape.gradient(loss, a, { unconnectedGradient: 'zero' })).toThrow(/did you mean/);
  // @ts-expect-error: 'zeros' is none of its values.
  expect(() => tape.gradient(loss, a, { unconnectedGradients: 'zeros' })).toThrow(/'none' or 'zero'/);
  tape.dispose();
});
