/** @file CSV text: records as Python's csv module reads them (test/fixtures/data/csvRecords.py), and the columns of `csv`. */
import { describe, expect, test, vi } from 'vitest';
import { FormatError, ValueError } from '../../src/index.ts';
import { CsvReader } from '../../src/data/csvReader.ts';
import { csv, textLines } from '../../src/data/index.ts';
import cases from '../fixtures/data/csvRecords.json' with { type: 'json' };

describe('records are those of Python, however the text is cut', () => {
  test.each([1, 3, 1000])('into parts of %i', (size) => {
    for (const { text, delimiter, records } of cases) {
      const reader = new CsvReader(delimiter);
      const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      const found = [...parts.flatMap((part) => reader.read(part)), ...reader.end()];
      expect(found.map(({ fields }) => fields)).toEqual(records);
    }
  });
});

const houses = 'rooms,area,town,price\n3,70.5,"Bad ""X"", Y",200\n\n2,,Ulm,100\n';

test('columns of numbers and texts, missing values, labels', async () => {
  expect(await csv(houses).toArray()).toEqual([
    { rooms: 3, area: 70.5, town: 'Bad "X", Y', price: 200 },
    { rooms: 2, area: Number.NaN, town: 'Ulm', price: 100 },
  ]);
  const options = {
    selectColumns: ['area', 'rooms'],
    labelName: 'price',
    columnDefaults: { area: -1 },
  } as const;
  expect(await csv(houses, options).toArray()).toEqual([
    [{ area: 70.5, rooms: 3 }, 200],
    [{ area: -1, rooms: 2 }, 100],
  ]);
  expect(await csv(houses, { columnDefaults: { rooms: '' }, selectColumns: ['rooms'] }).toArray()).toEqual([
    { rooms: '3' },
    { rooms: '2' },
  ]);
  const semicolons = '1;NA;x\n-2e3;4;y\n';
  expect(await csv(semicolons, { header: false, fieldDelim: ';', naValue: 'NA' }).toArray()).toEqual([
    { 0: 1, 1: Number.NaN, 2: 'x' },
    { 0: -2000, 1: 4, 2: 'y' },
  ]);
});

test('files, bytes and responses, several of them, in every pass', async () => {
  const bytes = new TextEncoder().encode('\ufeffn\n1\n2\n');
  const files = csv([new File([bytes], 'a.csv'), bytes, new Response(bytes)]);
  const numbers = [1, 2, 1, 2, 1, 2].map((n) => ({ n }));
  expect(await files.toArray()).toEqual(numbers);
  expect(await files.toArray()).toEqual(numbers);
  expect(await textLines([new Blob(['a\r\n\r\nb']), 'c\nd\n']).toArray()).toEqual(['a', '', 'b', 'c', 'd']);
});

test('a column holds numbers if its first hundred values do', async () => {
  const rows = (count: number) => `n\n${Array.from({ length: count }, (_, i) => i).join('\n')}\nx\n`;
  expect((await csv(rows(99)).toArray()).at(-1)).toEqual({ n: 'x' });
  await expect(csv(rows(100)).toArray()).rejects.toThrow(/column 'n' holds numbers[\s\S]*'x' on line 102/);
});

test('a line of many parts is searched once', async () => {
  const line = 'x'.repeat(5 * 2 ** 20);
  const split = vi.spyOn(String.prototype, 'split');
  const lines = await textLines(new Blob([line, '\nlast\n'])).toArray();
  const searched = split.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0);
  split.mockRestore();
  expect(lines.map(({ length }) => length)).toEqual([line.length, 4]);
  expect(searched).toBeLessThan(1.1 * line.length);
});

test('malformed text and options', async () => {
  const faulty: [text: string, message: RegExp][] = [
    ['a,b\n1\n', /1 fields on line 2/],
    ['a,a\n1,2\n', /'a' twice/],
    ['a\n"x"y\n', /'y' after it, on line 2/],
    ['a\n\n"x\n', /line 3/],
  ];
  for (const [text, message] of faulty) {
    const reading = csv(text).toArray();
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toBeInstanceOf(FormatError);
  }
  await expect(csv(houses, { labelName: 'prize' }).toArray()).rejects.toThrow(/did you mean 'price'|price/);
  await expect(csv(['a\n1\n', 'b\n2\n']).toArray()).rejects.toThrow(/same columns/);
  await expect(csv(5 as never).toArray()).rejects.toBeInstanceOf(ValueError);
  for (const options of [{ fieldDelim: ',,' }, { columnNames: 'a' }, { labelname: 'a' }, { header: 1 }])
    expect(() => csv(houses, options as never)).toThrow(ValueError);
});
