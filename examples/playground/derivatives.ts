// Derivatives of any order: grad takes a function, and returns another one.
import { grad, init, mul, sin, sum, type Tensor, tensor } from 'retrograd';
import { table } from 'playground';

await init();
const f = (x: Tensor) => mul(x, sin(x));

// The derivative for each of several values: that of their sum.
const first = grad((x: Tensor) => sum(f(x)));
const second = grad((x: Tensor) => sum(first(x)));
const third = grad((x: Tensor) => sum(second(x)));

const x = [0, 0.5, 1, 1.5, 2];
const columns = await Promise.all([f, first, second, third].map((of) => of(tensor(x)).data()));
const [value, d1, d2, d3] = columns.map((column) => Array.from(column, (n) => n.toFixed(4)));
table(
  x.map((at, i) => ({
    x: at,
    'x sin x': value?.[i] ?? '',
    first: d1?.[i] ?? '',
    second: d2?.[i] ?? '',
    third: d3?.[i] ?? '',
  })),
  'x sin x and its derivatives',
);
