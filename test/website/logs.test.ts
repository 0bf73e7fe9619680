/** @file What a program of the playground logs, as it is shown. */
import { expect, test } from 'vitest';
import { LogConsole } from '../../website/playground/runner/console.ts';
import { type Row, rowsOf } from '../../website/playground/runner/rows.ts';

/** The blocks and tables that are shown. */
function started() {
  const shown: unknown[] = [];
  const slot = (first: unknown) => {
    const at = shown.push(first) - 1;
    return {
      update: (next: unknown) => {
        shown[at] = next;
      },
    };
  };
  const console = new LogConsole({ text: slot, table: (rows: readonly Row[]) => slot(rows) });
  return { console, shown };
}

const tensor = (shape: number[], values: unknown) => ({
  dtype: 'float32',
  shape,
  size: shape.reduce((a, b) => a * b, 1),
  array: async () => values,
});

test('tensors are logged with dtype, shape and values, in the order of the calls', async () => {
  const { console, shown } = started();
  console.log(
    'w',
    tensor(
      [2, 2],
      [
        [1, 2],
        [3, 0.5],
      ],
    ),
  );
  console.log('then', 1);
  await console.settle();
  expect(shown).toEqual(['w float32[2, 2] [[1, 2], [3, 0.5]]\nthen 1']);
});

test('of a large tensor the first values are logged, and a very large one is not read', async () => {
  const { console, shown } = started();
  const values = Array.from({ length: 10 }, (_, i) => Array.from({ length: 10 }, (_, j) => 10 * i + j));
  console.log(tensor([10, 10], values));
  console.log(tensor([2000, 2000], null));
  await console.settle();
  expect(shown).toEqual([
    'float32[10, 10] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … 88 more]\nfloat32[2000, 2000]',
  ]);
});

test('a tensor that cannot be read keeps its description', async () => {
  const { console, shown } = started();
  console.log({ ...tensor([2], []), array: () => Promise.reject(new Error('disposed')) }, 'after');
  await console.settle();
  expect(shown).toEqual(['float32[2] after']);
});

test('the progress of a run overwrites its line, without the colours of a terminal', async () => {
  const { console, shown } = started();
  console.write('Epoch 1/2\n');
  console.write('\r\x1b[1m1/4\x1b[0m ━ loss: 3');
  console.write('\r4/4 ━━━━ loss: 1   ');
  console.write('\n');
  console.log('done');
  console.write('a');
  console.write('b\nc');
  await console.settle();
  expect(shown).toEqual(['Epoch 1/2\n4/4 ━━━━ loss: 1\ndone\nab\nc']);
});

test('a table stands between the logs around it', async () => {
  const { console, shown } = started();
  console.log('before', tensor([1], [5]));
  console.table([{ a: 1, b: 'x' }]);
  console.log('after');
  console.table(
    tensor(
      [2, 2],
      [
        [1, 2],
        [3, 4],
      ],
    ),
  );
  await console.settle();
  expect(shown).toEqual([
    'before float32[1] [5]',
    [{ '#': '0', a: 1, b: 'x' }],
    'after',
    [
      { '#': '0', '0': 1, '1': 2 },
      { '#': '1', '0': 3, '1': 4 },
    ],
  ]);
});

test.each([
  [
    [1, 'a', null],
    [
      { '#': '0', value: 1 },
      { '#': '1', value: 'a' },
      { '#': '2', value: null },
    ],
  ],
  [
    { x: [1, 2], y: { z: true } },
    [
      { '#': 'x', '0': 1, '1': 2 },
      { '#': 'y', z: true },
    ],
  ],
  [new Map([['k', { v: 1 }]]), [{ '#': 'k', v: 1 }]],
  [new Set([5]), [{ '#': 0, value: 5 }]],
  ['text', [{ value: 'text' }]],
  [new Float32Array([0.5]), [{ '#': '0', value: 0.5 }]],
])('console.table(%j)', (data, rows) => {
  expect(rowsOf(data)).toEqual(rows);
});

test('console.table shows the columns that are named', () => {
  expect(rowsOf([{ a: 1, b: 2 }], ['b'])).toEqual([{ '#': '0', b: 2 }]);
});

test('a promise that nobody awaited, a getter that throws, and what is very long', async () => {
  const { console, shown } = started();
  const throws = Object.defineProperty({}, 'x', {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });
  console.log(Promise.resolve(1), throws);
  console.log('x'.repeat(1_000_000));
  console.log(new Float32Array(30).fill(0.1));
  await console.settle();
  const [promise, long, numbers] = String(shown[0]).split('\n');
  expect(promise).toBe('a promise: await it for its value { x: [throws Error: no] }');
  expect(long).toMatch(/^x{10000} … 990000 more characters$/);
  expect(numbers).toMatch(/^Float32Array \[(?:0\.1, ){24}… 6 more\]$/);
});

test('of many lines the last ones are shown, and how many came before', async () => {
  const { console, shown } = started();
  for (let i = 0; i < 1300; i++) console.log(i);
  await console.settle();
  const lines = String(shown[0]).split('\n');
  expect([lines[0], lines[1], lines.at(-1)]).toEqual(['… 1,100 earlier lines', '1100', '1299']);
});
