/** @file Charts as text: what they draw, what they say to a screen reader, and which values they reject. */
import { describe, expect, test } from 'vitest';
import { RetrogradError, ShapeError, ValueError } from '../../src/index.ts';
import { History } from '../../src/keras/index.ts';
import {
  barChart,
  confusionMatrix,
  heatmap,
  historyChart,
  lineChart,
  scatterChart,
  table,
} from '../../src/show/index.ts';

/** The text of elements of a class or a tag. */
const texts = (svg: string, tag: string) =>
  [...svg.matchAll(new RegExp(`<${tag}[ >].*?</${tag}>`, 'gs'))].map(([whole]) =>
    whole.replace(/<[^>]*>/g, ''),
  );

const paths = (svg: string) => [...svg.matchAll(/<path [^>]*?d="([^"]*)"/g)].map(([, d = '']) => d);

/** The points of a path. */
const points = (d: string) =>
  [...d.matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);

describe('lineChart', () => {
  test('draws each line through its values, and says how they change', () => {
    const { svg } = lineChart({ loss: [4, 2, 1], accuracy: [0, 1, 2] });
    const [loss = '', accuracy = ''] = paths(svg);
    const [a, b, c] = points(loss);
    // A quarter of the fall is a quarter of the height.
    expect((b![1] - a![1]) / (c![1] - a![1])).toBeCloseTo(2 / 3, 2);
    expect(b![0] - a![0]).toBeCloseTo(c![0] - b![0], 1);
    expect(points(accuracy)).toHaveLength(3);
    expect(texts(svg, 'desc')).toEqual(['loss 4 → 1, accuracy 0 → 2']);
    expect(texts(svg, 'title')).toEqual(['loss, accuracy by step']);
  });

  test('on a logarithmic scale equal ratios are equally high', () => {
    const { svg } = lineChart({ loss: [1000, 100, 10, 1] }, { scale: 'log', yLabel: 'loss' });
    const heights = points(paths(svg)[0] ?? '').map(([, y]) => y);
    const steps = heights.slice(1).map((y, i) => y - heights[i]!);
    for (const step of steps) expect(step).toBeCloseTo(steps[0]!, 0);
    expect(texts(svg, 'text')).toEqual(expect.arrayContaining(['1', '10', '100', '1000']));
  });

  test('pairs stand at their own x', () => {
    const [d = ''] = paths(
      lineChart({
        a: [
          [0, 1],
          [1, 1],
          [10, 1],
        ],
      }).svg,
    );
    const [first, second, last] = points(d).map(([x]) => x);
    expect((second! - first!) / (last! - first!)).toBeCloseTo(0.1, 2);
  });

  test('leaves a gap where a value is not finite, and counts those', () => {
    const { svg } = lineChart({ loss: [1, 2, Number.NaN, 3, Number.POSITIVE_INFINITY, 5] });
    expect(paths(svg)[0]?.match(/M/g)).toHaveLength(3);
    expect(texts(svg, 'text')).toContain('2 values are left out: not finite');
    expect(texts(lineChart({ loss: [1, 0] }, { scale: 'log' }).svg, 'text')).toContain(
      '1 value is left out: not finite, or not above 0',
    );
  });

  test('draws one value as a dot, and nothing as axes', () => {
    expect(paths(lineChart({ loss: [3] }).svg)).toEqual([expect.stringMatching(/^M[\d.]+ [\d.]+h0$/)]);
    expect(lineChart({ loss: [] }).svg).toMatch(/loss no values/);
    // Numbers at the axes of an empty chart would be made up.
    expect(texts(lineChart({}).svg, 'text')).toEqual(['no values yet', 'step →']);
    expect(lineChart({ loss: [Number.NaN] }).svg).not.toMatch(/no values yet/);
    expect(lineChart({}).svg).toMatch(/^<svg /);
    expect(lineChart({ flat: [2, 2, 2] }).svg).not.toMatch(/NaN/);
  });

  test('keeps the extremes of a long line, in a path that does not grow', () => {
    const values = Float32Array.from({ length: 200_000 }, (_, i) => Math.sin(i / 1000));
    values[123_457] = 50;
    const d = paths(lineChart({ values }).svg)[0] ?? '';
    const drawn = points(d);
    expect(drawn.length).toBeLessThan(4 * 640);
    const heights = drawn.map(([, y]) => y);
    const highest = drawn[heights.indexOf(Math.min(...heights))];
    const [first, last] = [drawn[0]![0], drawn.at(-1)![0]];
    expect((highest![0] - first) / (last - first)).toBeCloseTo(123_457 / 200_000, 2);
  });

  test('escapes names', () => {
    expect(lineChart({ '<b>"&': [1, 2] }).svg).toMatch(/&lt;b&gt;&quot;&amp;/);
  });

  test('update draws other values', () => {
    const chart = lineChart({ loss: [1, 2] });
    chart.update({ loss: [1, 2, 3, 4] });
    expect(points(paths(chart.svg)[0] ?? '')).toHaveLength(4);
    expect(() => chart.update({ loss: ['a'] } as never)).toThrow(ValueError);
  });
});

describe('scatterChart', () => {
  test('draws a dot for each point, once where several share a place, and counts them', () => {
    const { svg } = scatterChart(
      {
        cats: [
          [0, 0],
          [1, 1],
          [1, 1],
          [2, 4],
        ],
        dogs: [[3, Number.NaN]],
      },
      { xLabel: 'label', yLabel: 'prediction' },
    );
    const [cats = '', dogs] = paths(svg);
    const [a, b, c, ...more] = points(cats);
    expect(more).toEqual([]);
    expect(b![0] - a![0]).toBeCloseTo(c![0] - b![0], 1);
    expect((a![1] - b![1]) / (a![1] - c![1])).toBeCloseTo(0.25, 2);
    expect(dogs).toBe('');
    expect(texts(svg, 'desc')).toEqual(['cats 4 points, dogs 1 point, 1 value is left out: not finite']);
    expect(texts(svg, 'title')).toEqual(['prediction by label']);
  });

  test.each([
    [[[0, 1]], /an object with pairs .*received: \[\[0, 1\]\]/s],
    [{ cats: [1, 2] }, /'cats': /],
    [{ cats: new Float32Array(4) }, /'cats': .*await tensor\.array/s],
    [{ cats: [[1, 2, 3]] }, /pairs \[x, y\]/],
  ])('rejects %j', (groups, message) => {
    expect(() => scatterChart(groups as never)).toThrow(message);
    expect(() => scatterChart(groups as never)).toThrow(ValueError);
  });
});

describe('heatmap', () => {
  const cellsOf = (svg: string) =>
    [...svg.matchAll(/<rect [^>]*class="[^"]*\bcell\b[^>]*>/g)].map(
      ([rect]) => [/fill="([^"]*)"/.exec(rect)?.[1], Number(/opacity="([^"]*)"/.exec(rect)?.[1])] as const,
    );

  test('cells are as dark as their values are far from 0', () => {
    const { svg } = heatmap([
      [1, 0.25],
      [0, -0.5],
    ]);
    const cells = cellsOf(svg);
    expect(cells.map(([, opacity]) => opacity)).toEqual([1, 0.25, 0.5]);
    expect(cells[0]?.[0]).toBe(cells[1]?.[0]);
    expect(cells[2]?.[0]).not.toBe(cells[0]?.[0]);
    expect(texts(svg, 'desc')).toEqual(['2 rows, 2 columns, values from −0.5 to 1']);
    expect(texts(svg, 'text')).toEqual(expect.arrayContaining(['column →', 'row ↓', '0.25', '−0.5']));
  });

  test('names rows and columns, and takes typed arrays and values that are not finite', () => {
    const { svg } = heatmap([Float32Array.of(0.5, Number.NaN, 0.5)], {
      rows: ['chat'],
      columns: ['the', 'cat', '.'],
      xLabel: 'input',
      yLabel: 'output',
    });
    expect(texts(svg, 'text')).toEqual(expect.arrayContaining(['chat', 'the', 'cat', 'input →', 'output ↓']));
    expect(cellsOf(svg)).toHaveLength(2);
    expect(heatmap([]).svg).toMatch(/0 rows, 0 columns, no finite values/);
  });

  test.each([
    [3, {}, ValueError, /an array of rows/],
    [[1, 2], {}, ValueError, /an array of rows/],
    [[[1, '2']], {}, ValueError, /of a tensor with two axes, await tensor\.array\(\)/],
    [[[1, 2], [3]], {}, ShapeError, /2 values in row 0, 1 in row 1/],
    [[[1, 2]], { columns: ['a'] }, ShapeError, /1 names, 2 columns/],
    [[[1, 2]], { column: ['a', 'b'] }, ValueError, /columns/],
  ])('rejects %j with %j', (values, options, type, message) => {
    expect(() => heatmap(values as never, options as never)).toThrow(type);
    expect(() => heatmap(values as never, options as never)).toThrow(message);
  });
});

describe('historyChart', () => {
  const history = { loss: [1, 0.5, 0.25], val_loss: [1.1, 0.7, 0.6], accuracy: [0.1, 0.5, 0.9] };

  test('draws a metric with its validation, dashed, by epochs from 1', () => {
    const { svg } = historyChart({ history });
    expect(texts(svg, 'desc')).toEqual(['loss 1 → 0.250, val_loss 1.10 → 0.600']);
    expect(svg.match(/<path [^>]*stroke-dasharray/g)).toHaveLength(1);
    expect(texts(svg, 'text')).toEqual(expect.arrayContaining(['1', '2', '3', 'epoch →']));
    expect(historyChart(history).svg).toBe(svg);
    expect(texts(historyChart(history, { metric: 'accuracy' }).svg, 'desc')).toEqual([
      'accuracy 0.100 → 0.900',
    ]);
  });

  test('takes the History of fit, and several runs by name', () => {
    const run = History.fromJSON({ history, epoch: [0, 1, 2], params: {} });
    expect(historyChart(run).svg).toBe(historyChart({ history }).svg);
    expect(texts(historyChart({ adam: run, sgd: { loss: [3, 2] } }).svg, 'desc')).toEqual([
      'adam loss 1 → 0.250, adam val_loss 1.10 → 0.600, sgd loss 3 → 2',
    ]);
  });

  test('its callback draws a run while it goes on', () => {
    const chart = historyChart();
    chart.callback.onTrainBegin();
    chart.callback.onEpochEnd(0, { loss: 2, val_loss: 3 });
    chart.callback.onEpochEnd(1, { loss: 1, val_loss: 2 });
    expect(texts(chart.svg, 'desc')).toEqual(['loss 2 → 1, val_loss 3 → 2']);
    chart.callback.onTrainBegin();
    chart.callback.onEpochEnd(0, { loss: 9 });
    expect(texts(chart.svg, 'desc')).toEqual(['loss 9']);
  });
});

test('barChart draws from zero, in proportion, to both sides', () => {
  const { svg } = barChart({ a: 10, b: 5, c: -5, d: Number.NaN }, { label: 'ms' });
  const bars = [...svg.matchAll(/<rect x="([\d.]+)" y="\d+" width="([\d.]+)"/g)].map(([, x, width]) => [
    Number(x),
    Number(width),
  ]);
  const [a, b, c] = bars as [number[], number[], number[]];
  expect(bars).toHaveLength(3);
  expect(a[1]! / b[1]!).toBeCloseTo(2, 1);
  expect(c[0]! + c[1]!).toBeCloseTo(a[0]!, 0);
  expect(texts(svg, 'desc')).toEqual(['a 10, b 5, c −5, d NaN']);
});

test('barChart keeps the order of pairs', () => {
  expect(
    texts(
      barChart([
        ['7', 0.6],
        ['2', 0.4],
      ]).svg,
      'desc',
    ),
  ).toEqual(['7 0.600, 2 0.400']);
});

describe('confusionMatrix', () => {
  test('counts each class by each', () => {
    const { svg } = confusionMatrix(
      { labels: [0, 0, 1, 1, 1, 2], predictions: Int32Array.from([0, 1, 1, 1, 0, 2]) },
      { classes: ['cat', 'dog', 'fox'] },
    );
    const counts = texts(svg, 'text').filter((text) => /^\d+$/.test(text));
    expect(counts).toEqual(['1', '1', '0', '1', '2', '0', '0', '0', '1']);
    expect(texts(svg, 'desc')).toEqual(['4 of 6 right; 1 cat taken for dog, 1 dog taken for cat']);
  });

  test('the words above short names are side by side', () => {
    const { svg } = confusionMatrix({ labels: [0, 1], predictions: [0, 1] });
    expect(Number(/<text x="([\d.]+)"[^>]*>predicted/.exec(svg)?.[1])).toBeGreaterThan(45);
  });

  test('without names, classes are numbers', () => {
    expect(texts(confusionMatrix({ labels: [0, 3], predictions: [0, 3] }).svg, 'text')).toContain('3');
    expect(confusionMatrix({ labels: [], predictions: [] }).svg).toMatch(/0 of 0 right; no mistakes/);
  });
});

test('table has a column for each name, and numbers to three digits', () => {
  const { html } = table(
    [
      { layer: 'dense', weights: 650, share: 0.123456 },
      { layer: '<b>', isFrozen: true, share: null },
    ],
    { caption: 'Layers' },
  );
  expect(texts(html, 'th')).toEqual(['layer', 'weights', 'share', 'isFrozen']);
  expect(texts(html, 'td')).toEqual(['dense', '650', '0.123', '–', '&lt;b&gt;', '–', '–', 'true']);
  expect(texts(html, 'caption')).toEqual(['Layers']);
});

describe('rejects, with a hint:', () => {
  const element = {} as Element;
  test.each<[string, () => unknown, typeof RetrogradError, RegExp]>([
    ['no lines', () => lineChart([1, 2] as never), ValueError, /values of each line by its name/],
    ['a line of texts', () => lineChart({ a: ['1'] } as never), ValueError, /'a'[\s\S]*tensor\.data/],
    [
      'another scale',
      () => lineChart({}, { scale: 'logarithmic' as never }),
      ValueError,
      /'linear' or 'log'/,
    ],
    ['an unknown option', () => lineChart({}, { logScale: true } as never), ValueError, /logScale/],
    ['no runs', () => historyChart(3 as never), ValueError, /what fit returns/],
    [
      'an unknown metric',
      () => historyChart({ loss: [1] }, { metric: 'los' }),
      ValueError,
      /did you mean 'loss'/,
    ],
    ['bars that are a list', () => barChart([1, 2] as never), ValueError, /a number for each name/],
    [
      'a class that is no integer',
      () => confusionMatrix({ labels: [0.5], predictions: [0] }),
      ValueError,
      /labels\[0\]: 0.5[\s\S]*argMax/,
    ],
    [
      'a class without a name',
      () => confusionMatrix({ labels: [2], predictions: [0] }, { classes: ['a', 'b'] }),
      ValueError,
      /from 0 to 1/,
    ],
    [
      'unequal numbers',
      () => confusionMatrix({ labels: [1, 0], predictions: [0] }),
      ShapeError,
      /2 labels, 1 predictions/,
    ],
    ['rows of lists', () => table([[1]] as never), ValueError, /objects with texts/],
    ['to be shown in Node', () => barChart({ a: 1 }).show(element), RetrogradError, /no document/],
  ])('%s', (_, act, kind, message) => {
    expect(act).toThrow(kind);
    expect(act).toThrow(message);
  });
});
