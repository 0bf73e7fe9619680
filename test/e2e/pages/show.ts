/** @file Charts, pictures and tables in a page, for test/e2e/show.test.ts. */
import { init, tensor } from '../../../src/index.ts';
import { layers, sequential } from '../../../src/keras/index.ts';
import {
  barChart,
  confusionMatrix,
  featureMaps,
  historyChart,
  images,
  lineChart,
  table,
} from '../../../src/show/index.ts';

/** An element of the page for one chart. */
function place(id: string): Element {
  const made = document.createElement('div');
  made.id = id;
  (document.querySelector('main') as Element).append(made);
  return made;
}

/** Shows one of each. */
export async function showAll() {
  await init();
  const net = sequential([layers.inputLayer({ shape: [1] }), layers.dense({ units: 1 })]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  const live = historyChart().show(place('history'));
  await net.fit([[1], [2]], [[2], [4]], { epochs: 4, verbose: 0, callbacks: [live.callback] });
  lineChart({ slow: [3, 2, 1], fast: [3, 1, 0.5] }, { scale: 'log', yLabel: 'loss' }).show(place('lines'));
  barChart({ cat: 0.7, dog: 0.3 }, { label: 'probability' }).show(place('bars'));
  confusionMatrix({ labels: [0, 1, 1], predictions: [0, 1, 0] }).show(place('confusion'));
  const batch = tensor(
    Float32Array.from({ length: 3 * 64 }, (_, i) => (i % 64) / 63),
    { shape: [3, 8, 8, 1] },
  );
  (await images(batch, { captions: ['a', 'b', 'c'] })).show(place('images'));
  (await featureMaps(batch)).show(place('maps'));
  table([{ layer: 'dense', weights: 2 }], { caption: 'Layers' }).show(place('table'));
  return {
    drawn: document.querySelectorAll('#history path.line').length,
    described: document.querySelector('#history desc')?.textContent ?? '',
    canvases: document.querySelectorAll('#images canvas').length,
  };
}

/** What happens to a chart that is shown elsewhere, replaced, and removed. */
export function moveAround() {
  const [first, second] = [place('first'), place('second')];
  const chart = barChart({ a: 1 }).show(first);
  chart.show(second);
  const moved = [first.childElementCount, second.childElementCount];
  second.textContent = 'replaced by the page';
  chart.update({ a: 2 });
  const replaced = second.textContent;
  chart.show(second).update({ a: 1, b: 2 });
  const bars = second.querySelectorAll('.bar').length;
  chart.remove();
  const left = second.childElementCount;
  let rejected = '';
  try {
    chart.show('#chart' as never);
  } catch (error) {
    rejected = (error as Error).message;
  }
  for (const one of [first, second]) one.remove();
  return { moved, replaced, bars, left, rejected };
}
