/** @file Layers in a table: activations, gradients, weights and time of each. */
import type { StepReportData } from '../step/reportData.ts';
import { h, table } from './dom.ts';
import { short, specText, timeText } from './format.ts';
import { histogram, shares } from './histogram.ts';
import { LayerIndex, totalsOf } from './totals.ts';

export function layersView(data: StepReportData): HTMLElement {
  const index = new LayerIndex(data);
  const rows = index.computing.map((layer) => {
    const calls = index.callsIn(layer);
    const last = index.lastOf(layer);
    const output = last && data.tensors[last.outputs[0] as number];
    const read = new Set(
      calls
        .filter(({ backward, layer: own }) => !backward && own === layer.id)
        .flatMap(({ inputs }) => inputs),
    );
    const weights = data.weights.filter(({ tensor }) => tensor !== null && read.has(tensor));
    const largest = weights.toSorted((a, b) => product(b.shape) - product(a.shape))[0];
    const update = largest?.update?.norm;
    const ratio =
      update !== undefined && update !== null && largest?.values?.norm ? update / largest.values.norm : null;
    const time = (isBackward: boolean) =>
      timeText(totalsOf(calls.filter(({ backward }) => (backward !== null) === isBackward)).milliseconds);
    const values = output?.values ?? null;
    return [
      h('span', {}, h('b', {}, index.nameOf(layer)), h('br'), h('span', { class: 'soft' }, layer.className)),
      output ? specText(output) : '–',
      histogram(values),
      `${short(values?.min)} … ${short(values?.max)}`,
      short(values?.mean),
      shares(values),
      histogram(output?.gradient ?? null, { kind: 'gradient' }),
      short(output?.gradient?.norm),
      histogram(largest?.values ?? null, { kind: 'weight' }),
      short(largest?.values?.norm),
      short(ratio),
      time(false),
      time(true),
    ];
  });
  const heads = [
    { text: 'Layer' },
    { text: 'Output' },
    { text: 'Activations' },
    { text: 'Range' },
    { text: 'Mean', isNumber: true },
    { text: 'Zeros', isNumber: true },
    { text: 'Gradient' },
    { text: 'Norm', isNumber: true },
    { text: 'Weights' },
    { text: 'Norm', isNumber: true },
    { text: 'Update', isNumber: true },
    { text: 'Forward', isNumber: true },
    { text: 'Backward', isNumber: true },
  ];
  return h(
    'section',
    {},
    h(
      'p',
      { class: 'soft' },
      'Values of each layer’s output, of the gradient that comes to it, and of its largest weight. An update is in parts of the weight: about 0.001 is usual.',
    ),
    rows.length > 0
      ? table('Layers', heads, rows)
      : h('p', {}, 'No layer was called: the graph shows the ops.'),
  );
}

function product(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}
