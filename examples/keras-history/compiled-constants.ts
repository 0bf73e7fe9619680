/**
 * @file What a compiled function sees: an argument is read at every call, a captured tensor is a constant, a variable from
 * outside is read and written, and a JavaScript number is what it was at the first call.
 */
import { add, compile, init, mul, type Tensor, tensor, variable } from 'retrograd';

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  const captured = tensor(10);
  const sum = compile((x: Tensor, offset: Tensor) => add(add(x, offset), captured));
  for (const offset of [1, 2]) {
    print(`argument 5 + argument ${offset} + captured 10 = ${await sum(tensor(5), tensor(offset)).item()}`);
  }

  const scale = variable(tensor(2), { name: 'scale' });
  const calls = variable(tensor(0), { name: 'calls', trainable: false });
  const scaled = compile((x: Tensor) => {
    calls.assign(add(calls, 1));
    return mul(x, scale);
  });
  print(`\nscale 2: ${await scaled(tensor(3)).item()}`);
  scale.assign(tensor(5));
  print(`scale 5, assigned outside: ${await scaled(tensor(3)).item()}`);
  print(`calls, counted by the function: ${await calls.item()}`);
  print(`recordings: ${scaled.explain().length}, replayed: ${scaled.explain()[0]?.captured}`);
}
