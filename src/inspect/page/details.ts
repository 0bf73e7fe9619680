/** @file The panel next to the graph with details of a call, a layer or an input. */
import type { ReportedCall, ReportedLayer, ReportedTensor } from '../step/reportData.ts';
import { h } from './dom.ts';
import { bytesText, short, specText, speed, timeText } from './format.ts';
import { histogram, shares } from './histogram.ts';
import { type LayerIndex, totalsOf, type Totals } from './totals.ts';

export function callDetails(index: LayerIndex, call: ReportedCall): HTMLElement[] {
  const { data } = index;
  const tensors = (ids: readonly (number | null)[]) =>
    ids.flatMap((id) => (id === null ? [] : (data.tensors[id] ?? [])));
  const gradients = data.calls.filter(({ backward }) => backward?.call === call.id);
  return [
    h('h3', {}, call.op),
    h(
      'p',
      { class: 'soft' },
      call.backward ? `gradient of ${call.backward.op}` : 'forward',
      place(index, call.layer, call.callSite),
    ),
    call.options ? h('p', { class: 'mono' }, call.options) : h('span'),
    totals(totalsOf([call])),
    ...section('Inputs', tensors(call.inputs).map(tensorCard)),
    ...section('Outputs', tensors(call.outputs).map(tensorCard)),
    ...section(
      'Launches',
      call.launches.map(({ kernel, variant, workgroups, milliseconds }) =>
        h(
          'div',
          { class: 'card' },
          h(
            'div',
            { class: 'row' },
            h('b', {}, kernel),
            h('span', { class: 'soft' }, timeText(milliseconds)),
          ),
          h('div', { class: 'mono' }, `${workgroups} workgroups${variant ? ` · ${variant}` : ''}`),
        ),
      ),
    ),
    ...section(
      'Its gradient',
      gradients.map(({ op, launches }) =>
        h(
          'div',
          { class: 'row' },
          h('span', {}, op),
          h(
            'span',
            { class: 'soft' },
            `${launches.length} launches, ${timeText(launches.reduce((sum, { milliseconds }) => sum + milliseconds, 0))}`,
          ),
        ),
      ),
    ),
  ];
}

export function layerDetails(index: LayerIndex, layer: ReportedLayer): HTMLElement[] {
  const { data } = index;
  const calls = index.callsIn(layer);
  const last = index.lastOf(layer);
  const output = last && data.tensors[last.outputs[0] as number];
  const read = new Set(calls.filter(({ backward }) => !backward).flatMap(({ inputs }) => inputs));
  const weights = data.weights.filter(({ tensor }) => tensor !== null && read.has(tensor));
  const weightCards = weights.map(({ name, shape, values, gradientValues, gradient }) =>
    h(
      'div',
      { class: 'card' },
      h(
        'div',
        { class: 'row' },
        h('b', {}, name.split('/').at(-1) ?? name),
        h('span', { class: 'soft' }, `[${shape.join(', ')}]`),
      ),
      h(
        'div',
        { class: 'row' },
        histogram(values, { kind: 'weight' }),
        histogram(gradientValues, { kind: 'gradient' }),
      ),
      h(
        'div',
        { class: 'soft' },
        `norm ${short(values?.norm)}, gradient ${gradient === 'computed' ? short(gradientValues?.norm) : gradient}`,
      ),
    ),
  );
  return [
    h('h3', {}, layer.name),
    h('p', { class: 'soft' }, layer.className, place(index, layer.parent, layer.callSite)),
    h('h4', {}, 'Forward'),
    totals(totalsOf(calls.filter(({ backward }) => !backward))),
    h('h4', {}, 'Backward'),
    totals(totalsOf(calls.filter(({ backward }) => backward))),
    ...section('Output', output ? [tensorCard(output)] : []),
    ...section('Weights', weightCards),
  ];
}

export function inputDetails(tensor: ReportedTensor): HTMLElement[] {
  return [
    h('h3', {}, tensor.name ?? 'input'),
    h('p', { class: 'soft' }, 'from outside of the step'),
    tensorCard(tensor),
  ];
}

function place(index: LayerIndex, layer: number | null, callSite: string | null): string {
  const path = index.pathOf(layer);
  return `${path ? ` in ${path}` : ''}${callSite ? `, ${callSite}` : ''}`;
}

function section(title: string, cards: readonly HTMLElement[]): HTMLElement[] {
  return cards.length > 0 ? [h('h4', {}, title), ...cards] : [];
}

function totals({ milliseconds, launches, bytes, flops }: Totals): HTMLElement {
  const rate = speed(flops, milliseconds);
  const rows = [
    ['time', timeText(milliseconds)],
    ['launches', String(launches)],
    ['moved', bytesText(bytes)],
    ...(flops === null ? [] : [['operations', `${short(flops / 1e6)} MFLOP`]]),
    ...(rate === null ? [] : [['speed', `${short(rate)} GFLOP/s`]]),
  ];
  return h('dl', {}, ...rows.flatMap(([name = '', value = '']) => [h('dt', {}, name), h('dd', {}, value)]));
}

function tensorCard(tensor: ReportedTensor): HTMLElement {
  const { values, gradient, name, bytes } = tensor;
  return h(
    'div',
    { class: 'card' },
    h(
      'div',
      { class: 'row' },
      h('b', {}, specText(tensor)),
      h('span', { class: 'soft' }, `${name ? `${name.split('/').at(-1)} · ` : ''}${bytesText(bytes)}`),
    ),
    h(
      'div',
      { class: 'row' },
      histogram(values),
      h('span', { class: 'soft' }, `${short(values?.min)} … ${short(values?.max)}`),
    ),
    h('div', { class: 'soft' }, `mean ${short(values?.mean)}, zeros ${shares(values)}`),
    gradient &&
      h(
        'div',
        { class: 'row' },
        histogram(gradient, { kind: 'gradient' }),
        h('span', { class: 'soft' }, `gradient, norm ${short(gradient.norm)}`),
      ),
  );
}
