/**
 * @file The pictures of the guide (docs/images), which charts drew: `npx vitest run --project unit test/show/pictures.test.ts -u` draws them
 * again.
 */
import { expect, test } from 'vitest';
import {
  barChart,
  type Chart,
  confusionMatrix,
  heatmap,
  historyChart,
  scatterChart,
} from '../../src/show/index.ts';

const epochs = Array.from({ length: 20 }, (_, i) => i);
const curve = (low: number, rate: number) => epochs.map((epoch) => low + 2.1 * Math.exp(-rate * epoch));

/** Classes of 400 examples; every ninth is taken for a neighbour. */
const labels = Array.from({ length: 400 }, (_, i) => (i * 7) % 5);
const predictions = labels.map((label, i) => (i % 9 === 0 ? (label + 1 + (i % 2)) % 5 : label));

/** Forty points around a place. */
const cloud = (x: number, y: number) =>
  Array.from({ length: 40 }, (_, i) => {
    const [angle, radius] = [2.4 * i, 0.12 * Math.sqrt(i)];
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
  });

const pictures: Record<string, Chart<never>> = {
  history: historyChart({
    adam: { loss: curve(0.05, 0.5), val_loss: curve(0.21, 0.42) },
    sgd: { loss: curve(0.3, 0.16), val_loss: curve(0.38, 0.15) },
  }) as Chart<never>,
  logarithmic: historyChart({ loss: curve(0.002, 0.5) }, { scale: 'log' }) as Chart<never>,
  bars: barChart({ cat: 0.71, dog: 0.24, fox: 0.05 }, { label: 'probability' }) as Chart<never>,
  confusion: confusionMatrix(
    { labels, predictions },
    { classes: ['shirt', 'coat', 'dress', 'bag', 'boot'] },
  ) as Chart<never>,
  scatter: scatterChart({ cats: cloud(0.8, 1.4), dogs: cloud(2.1, 0.6) }) as Chart<never>,
  heatmap: heatmap(
    [
      [0.86, 0.06, 0.05, 0.03],
      [0.12, 0.1, 0.74, 0.04],
      [0.07, 0.8, 0.09, 0.04],
      [0.02, 0.05, 0.06, 0.87],
    ],
    {
      rows: ['le', 'chat', 'noir', 'dort'],
      columns: ['the', 'black', 'cat', 'sleeps'],
      xLabel: 'input',
      yLabel: 'output',
    },
  ) as Chart<never>,
};

test.each(Object.entries(pictures))('%s', async (name, { svg }) => {
  await expect(`${svg}\n`).toMatchFileSnapshot(`../../docs/images/show-${name}.svg`);
});
