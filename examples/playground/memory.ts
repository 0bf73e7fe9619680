// Tensors are freed at the end of a scope, by dispose, or when nothing refers
// to them any more. memory() counts what is left.
import { add, init, memory, mul, randomNormal, scope, sum, tidy } from 'retrograd';
import { table } from 'playground';

await init();
const rows: { after: string; tensors: number; kilobytes: number }[] = [];
const note = (after: string) => {
  const { tensors, bytes } = memory();
  rows.push({ after, tensors, kilobytes: Math.round(bytes / 1024) });
};

note('the start');
const x = randomNormal([256, 256], { seed: 1 });
note('a matrix');
const total = tidy(() => sum(add(mul(x, x), x)));
note('a sum in tidy: only its result is left');
{
  using _ = scope();
  for (let i = 0; i < 8; i++) mul(x, i);
  note('eight products in a scope');
}
note('the end of the scope');
total.dispose();
x.dispose();
note('dispose');
table(rows);
