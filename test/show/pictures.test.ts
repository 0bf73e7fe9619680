/**
 * @file The pictures of the guide (docs/images), which charts drew: `npx vitest run --project unit test/show/pictures.test.ts -u` draws them
 * again.
 */
import { expect, test } from 'vitest';
import { barChart, type Chart, confusionMatrix, historyChart } from '../../src/show/index.ts';

const epochs = Array.from({ length: 20 }, (_, i) => i);
const curve = (low: number, rate: number) => epochs.map((epoch) => low + 2.1 * Math.exp(-rate * epoch));

/** Classes of 400 examples; every ninth is taken for a neighbour. */
const labels = Array.from({ length: 400 }, (_, i) => (i * 7) % 5);
const predictions = labels.map((label, i) => (i % 9 === 0 ? (label + 1 + (i % 2)) % 5 : label));

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
};

test.each(Object.entries(pictures))('%s', async (name, { svg }) => {
  await expect(`${svg}\n`).toMatchFileSnapshot(`../../docs/images/show-${name}.svg`);
});
