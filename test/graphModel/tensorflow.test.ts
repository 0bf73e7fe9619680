/** @file Operations of graphs that TF.js lacks or computes otherwise, next to TensorFlow. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { init, memory, tensor } from '../../src/index.ts';
import { loadGraphModel } from '../../src/io/index.ts';
import { filesOf, graphFile, type HostTensor, type NodeDef, placeholder } from './graphFile.ts';

interface Golden {
  readonly name: string;
  /** Those whose names begin with c_ are constants. */
  readonly inputs: Readonly<Record<string, HostTensor>>;
  readonly nodes: readonly NodeDef[];
  readonly output: string;
  readonly expected: HostTensor;
}

const url = new URL('../fixtures/graphModel/graphs.json', import.meta.url);
const cases = JSON.parse(readFileSync(url, 'utf8')) as Golden[];

beforeAll(() => init());

test.each(cases)('$name', async ({ inputs, nodes, output, expected }) => {
  const isConstant = ([name]: [string, HostTensor]) => name.startsWith('c_');
  const all = Object.entries(inputs);
  const fed = all.filter((entry) => !isConstant(entry));
  const placeholders = fed.map(([name, value]) => placeholder(name, value));
  const file = graphFile([...placeholders, ...nodes], Object.fromEntries(all.filter(isConstant)));
  const net = await loadGraphModel(filesOf(file));
  const given = fed.map(([name, { values, shape, dtype }]) => {
    const data = dtype === 'float32' ? Float32Array.from(values) : Int32Array.from(values);
    return [name, tensor(data, { shape, dtype })] as const;
  });
  const before = memory().tensors;
  const made = net.execute(Object.fromEntries(given), output);
  expect(memory().tensors).toBe(before + 1);
  expect(made).toMatchObject({ shape: expected.shape, dtype: expected.dtype });
  const values = await made.data();
  const largest = Math.max(1, ...expected.values.map(Math.abs));
  for (const [i, value] of expected.values.entries())
    expect(Math.abs((values[i] as number) - value), `${i}`).toBeLessThan(2e-6 * largest);
  net.dispose();
});
