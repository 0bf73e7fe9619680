/** @file Gradients of all weights, and the path of each from the loss. */
import type { ReportedWeight, StepReportData } from '../step/reportData.ts';
import { h, s, table } from './dom.ts';
import { short } from './format.ts';
import { histogram } from './histogram.ts';
import { LayerIndex } from './totals.ts';

export function gradientsView(data: StepReportData): HTMLElement {
  const { weights } = data;
  if (weights.length === 0) return h('section', {}, h('p', {}, 'No gradient was computed in this step.'));
  const index = new LayerIndex(data);
  const paths = weights.filter(({ path }) => path.length > 0);
  const deepest = paths.toSorted((a, b) => b.path.length - a.path.length)[0];
  const picture = h('div', { class: 'chart' });
  const choice = h('select', {
    'aria-label': 'Weight',
    onchange: (event) => {
      const weight = weights[Number((event.target as HTMLSelectElement).value)];
      if (weight) picture.replaceChildren(pathChart(index, weight));
    },
  });
  weights.forEach((weight, i) => {
    if (weight.path.length > 0)
      choice.append(h('option', { value: i, selected: weight === deepest }, weight.name));
  });
  if (deepest) picture.append(pathChart(index, deepest));
  return h(
    'section',
    {},
    deepest && h('h3', {}, 'From the loss to a weight'),
    deepest && h('p', { class: 'row start' }, choice),
    picture,
    h('h3', {}, 'All weights'),
    weightTable(weights),
  );
}

/** Draws the norms along a path on a logarithmic scale. */
function pathChart(index: LayerIndex, { name, path, gradientValues }: ReportedWeight): HTMLElement {
  const points = [
    ...path.map(({ call, norm }) => {
      const found = index.data.calls[call];
      const layer = found ? index.pathOf(found.layer) : '';
      return { label: found?.op ?? '', note: layer, norm };
    }),
    { label: name.split('/').at(-1) ?? name, note: 'the weight', norm: gradientValues?.norm ?? null },
  ];
  const logs = points.flatMap(({ norm }) => (norm !== null && norm > 0 ? [Math.log10(norm)] : []));
  const low = Math.floor(Math.min(0, ...logs));
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs, low + 1)));
  const width = 300;
  return h(
    'ol',
    { class: 'path' },
    ...points.map(({ label, note, norm }) => {
      const length =
        norm !== null && norm > 0 ? Math.max(2, (width * (Math.log10(norm) - low)) / (high - low)) : 0;
      const bar = s(
        'svg',
        { viewBox: `0 0 ${width} 12`, class: 'bar', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        s('rect', { class: 'track', width, height: 12, rx: 2 }),
        s('rect', { width: length, height: 12, rx: 2 }),
      );
      return h(
        'li',
        {},
        h('span', { class: 'name' }, h('b', {}, label), h('span', { class: 'soft' }, ` ${note}`)),
        bar,
        h('span', { class: 'value' }, norm === null ? 'none' : short(norm)),
      );
    }),
  );
}

function weightTable(weights: readonly ReportedWeight[]): HTMLElement {
  const heads = [
    { text: 'Weight' },
    { text: 'Shape' },
    { text: 'Values' },
    { text: 'Norm', isNumber: true },
    { text: 'Gradient' },
    { text: 'Norm', isNumber: true },
    { text: 'Update / weight', isNumber: true },
    { text: 'State' },
  ];
  const rows = weights.map((weight) => {
    const { name, shape, values, gradientValues, update } = weight;
    const ratio =
      update?.norm !== undefined && update.norm !== null && values?.norm ? update.norm / values.norm : null;
    const [state, kind] = stateOf(weight);
    return [
      h('b', {}, name),
      `[${shape.join(', ')}]`,
      histogram(values, { kind: 'weight' }),
      short(values?.norm),
      histogram(gradientValues, { kind: 'gradient' }),
      short(gradientValues?.norm),
      short(ratio),
      h('span', { class: `pill ${kind}` }, state),
    ];
  });
  return table('Weights', heads, rows);
}

function stateOf({ gradient, gradientValues, trainable }: ReportedWeight): [string, string] {
  if (gradient === 'disconnected') return ['disconnected', 'error'];
  if (gradient === 'not asked for') return [trainable ? 'not asked for' : 'not trained', 'note'];
  if (!gradientValues) return ['computed', 'note'];
  if (gradientValues.nans + gradientValues.infinities > 0) return ['not finite', 'error'];
  return gradientValues.zeros === gradientValues.count ? ['zero', 'error'] : ['ok', 'good'];
}
