/** @file Prints what a custom op gets for free once it is defined, each value next to the analytic one. */
import { GradientTape, grad, init, lineage, mul, type Tensor, tensor } from 'retrograd';
import { softplusBeta } from './softplus.ts';

const beta = 2;
const points = [-3, -0.5, 0, 0.5, 3];
const sigmoid = (t: number) => 1 / (1 + Math.exp(-beta * t));

const expected = {
  value: (t: number) => Math.log1p(Math.exp(beta * t)) / beta,
  gradient: sigmoid,
  second: (t: number) => beta * sigmoid(t) * (1 - sigmoid(t)),
};

/** Value, gradient and second derivative, all three from one forward kernel and one line of `backward`. */
const value = (x: Tensor) => softplusBeta(x, { beta });
const gradient = grad(value);
const computed = { value, gradient, second: grad((x) => gradient(x)) };

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  const x = tensor(points, { name: 'x' });
  const row = (name: string, values: Iterable<number>) =>
    print(name.padEnd(12) + Array.from(values, (v) => v.toFixed(4).padStart(9)).join(''));

  print(`softplusBeta, beta = ${beta}: a WGSL kernel and its gradient\n`);
  row('x', points);
  let worst = 0;
  for (const name of ['value', 'gradient', 'second'] as const) {
    const values = await computed[name](x).data();
    row(name, values);
    const errors = points.map((t, i) => Math.abs(expected[name](t) - (values[i] ?? Number.NaN)));
    worst = Math.max(worst, ...errors);
  }
  print(`\nlargest error against mathematics: ${worst.toExponential(0)}`);

  using tape = new GradientTape();
  tape.watch(x);
  const y = softplusBeta(mul(x, 2), { beta });
  const { operation, node } = y.kerasHistory ?? {};
  print(`\nhistory: made by '${operation?.name}', with ${JSON.stringify(node?.options)}`);
  print(lineage(y).toMermaid());

  try {
    await softplusBeta([1, Number.NaN, 3]).data();
  } catch (error) {
    print(`\na NaN, found by the kernel on the GPU:\n${error instanceof Error ? error.message : error}`);
  }
}
