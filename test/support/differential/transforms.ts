/** @file Transforms of functions in random programs: checkpoints, custom gradients, maps, gradients and scans, inside one another. */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';
import { isFilled, isFloat, pick, type Planner } from './planning.ts';
import { at, build, type Value, withAxis } from './values.ts';

/** Of a tensor and a number, element by element. */
type Elementwise = (x: Tensor, h: Tensor) => Tensor;

const curve: Elementwise = (x, h) => rg.tanh(rg.mul(x, h));
const curveAt = (x: number, h: number) => Math.tanh(h * x);
const derivativeAt = (x: number, h: number) => h * (1 - Math.tanh(h * x) ** 2);

/** The same function. Its custom gradient computes everything from inputs: what it would close over has no gradient. */
const withGradient: Elementwise = (x, h) =>
  rg.customGradient((t, s) => ({
    value: curve(t, s),
    gradient: (dy) => {
      const inner = rg.mul(dy, rg.sub(1, rg.square(curve(t, s))));
      return [rg.mul(inner, s), rg.sum(rg.mul(inner, t))];
    },
  }))(x, h);

const inCheckpoint =
  (f: Elementwise): Elementwise =>
  (x, h) =>
    rg.checkpoint((t: Tensor) => f(t, h))(x);
const perRow =
  (f: Elementwise): Elementwise =>
  (x, h) =>
    rg.vmap((row: Tensor) => f(row, h))(x);
const derivative =
  (f: Elementwise): Elementwise =>
  (x, h) =>
    rg.grad((t: Tensor) => rg.sum(f(t, h)))(x);
const perStep =
  (f: Elementwise): Elementwise =>
  (x, h) =>
    rg.scan((carry: Tensor, row: Tensor) => [carry, f(row, h)] as const, rg.tensor(0), x)[1];

interface Form {
  readonly text: string;
  readonly run: Elementwise;
  readonly compute: (x: number, h: number) => number;
}

const forms: readonly Form[] = [
  { text: 'checkpoint(f)', run: inCheckpoint(curve), compute: curveAt },
  { text: 'checkpoint(checkpoint(f))', run: inCheckpoint(inCheckpoint(curve)), compute: curveAt },
  { text: 'custom(f)', run: withGradient, compute: curveAt },
  { text: 'checkpoint(custom(f))', run: inCheckpoint(withGradient), compute: curveAt },
  { text: 'vmap(f)', run: perRow(curve), compute: curveAt },
  { text: 'vmap(checkpoint(f))', run: perRow(inCheckpoint(curve)), compute: curveAt },
  { text: 'checkpoint(vmap(f))', run: inCheckpoint(perRow(curve)), compute: curveAt },
  { text: 'vmap(custom(f))', run: perRow(withGradient), compute: curveAt },
  { text: 'grad(f)', run: derivative(curve), compute: derivativeAt },
  { text: 'grad(checkpoint(f))', run: derivative(inCheckpoint(curve)), compute: derivativeAt },
  { text: 'checkpoint(grad(f))', run: inCheckpoint(derivative(curve)), compute: derivativeAt },
  { text: 'grad(custom(f))', run: derivative(withGradient), compute: derivativeAt },
  { text: 'vmap(grad(f))', run: perRow(derivative(curve)), compute: derivativeAt },
  { text: 'grad(vmap(f))', run: derivative(perRow(curve)), compute: derivativeAt },
  { text: 'scan(f)', run: perStep(curve), compute: curveAt },
  { text: 'scan(checkpoint(f))', run: perStep(inCheckpoint(curve)), compute: curveAt },
  { text: 'checkpoint(scan(f))', run: inCheckpoint(perStep(curve)), compute: curveAt },
  { text: 'grad(scan(f))', run: derivative(perStep(curve)), compute: derivativeAt },
  { text: 'scan(vmap(f))', run: perStep(perRow(curve)), compute: curveAt },
];

const needsRows = (text: string) => (/vmap|scan/.test(text) ? (/scan\(vmap/.test(text) ? 2 : 1) : 0);

/** f(x) = tanh(x · h), where h is the mean of another value, from outside the function. */
const transform: Planner = (values, { a, b, c }) => {
  const form = forms[c % forms.length] as Form;
  const first = pick(
    values,
    a,
    (x) => isFloat(x) && x.data.length > 0 && x.shape.length >= needsRows(form.text),
  );
  if (first === null) return null;
  const second = pick(values, b, (y) => isFloat(y) && y.data.length > 0) as number;
  const [x, y] = [values[first] as Value, values[second] as Value];
  const h = y.data.reduce((sum, value) => sum + value, 0) / y.data.length;
  return {
    inputs: [first, second],
    result: { ...x, data: x.data.map((value) => form.compute(value, h)) },
    run: (s, t) => form.run(s, rg.mean(t)),
    text: (v, w) => `${form.text} of ${v}, f(x) = tanh(x · mean(${w}))`,
  };
};

/** A carry through the rows, backwards or forwards, with or without a checkpoint of each step; gives the carry after each. */
const recurrence: Planner = (values, { a, b, c }) => {
  const first = pick(values, a, isFilled);
  if (first === null) return null;
  const second = pick(values, b, (y) => isFloat(y) && y.data.length > 0) as number;
  const [x, y] = [values[first] as Value, values[second] as Value];
  const h = y.data.reduce((sum, value) => sum + value, 0) / y.data.length;
  const [reverse, isCheckpointed] = [c % 2 === 1, c % 4 > 1];
  const steps = x.shape[0] as number;
  const known = new Map<string, number>();
  const carryAt = (position: readonly number[]): number => {
    const key = position.join();
    const found = known.get(key);
    if (found !== undefined) return found;
    const step = position[0] as number;
    const before = reverse ? step + 1 : step - 1;
    const isFirst = before < 0 || before >= steps;
    const carry = isFirst ? 0.5 : carryAt(withAxis(position, 0, before));
    const next = Math.tanh(0.8 * carry + at(x, position)) * h;
    known.set(key, next);
    return next;
  };
  return {
    inputs: [first, second],
    result: build(x.shape, 'float32', carryAt),
    run: (s, t) => {
      const mean = rg.mean(t);
      const move = (carry: Tensor, row: Tensor) => rg.mul(rg.tanh(rg.add(rg.mul(carry, 0.8), row)), mean);
      const next = isCheckpointed ? rg.checkpoint(move) : move;
      const body = (carry: Tensor, row: Tensor) => {
        const moved = next(carry, row);
        return [moved, moved] as const;
      };
      return rg.scan(body, rg.fill([...x.shape.slice(1)], 0.5), s, { reverse })[1];
    },
    text: (v, w) =>
      `scan(carry, row => tanh(0.8 · carry + row) · mean(${w}) of ${v}, reverse: ${reverse}, checkpoint: ${isCheckpointed})`,
  };
};

export const transforms: Readonly<Record<string, Planner>> = {
  transform,
  'transform again': transform,
  recurrence,
};
