/** @file Every call with its launches: time, speed, and the kernel variants that were chosen. */
import type { StepReportData } from '../step/reportData.ts';
import { h, table } from './dom.ts';
import { bytesText, percent, short, specText, speed, timeText } from './format.ts';
import { LayerIndex, totalsOf } from './totals.ts';

/** Number of rows that are shown initially. */
const maxRows = 60;

export function kernelsView(data: StepReportData): HTMLElement {
  const index = new LayerIndex(data);
  const all = rowsOf(data, index);
  const list = h('div', {});
  let limit = maxRows;
  const show = (words: string) => {
    const wanted = words.toLowerCase();
    const rows = all.filter(({ text }) => text.includes(wanted));
    const heads = [
      { text: 'Op' },
      { text: 'Layer' },
      { text: 'Output' },
      { text: 'Time', isNumber: true },
      { text: 'Share', isNumber: true },
      { text: 'Launches', isNumber: true },
      { text: 'Moved', isNumber: true },
      { text: 'GFLOP/s', isNumber: true },
      { text: 'Kernels and their variants' },
    ];
    const more = h(
      'button',
      {
        type: 'button',
        class: 'link',
        onclick: () => {
          limit = rows.length;
          show(words);
        },
      },
      `Show all ${rows.length}`,
    );
    list.replaceChildren(
      table(
        'Calls',
        heads,
        rows.slice(0, limit).map(({ cells }) => cells()),
      ),
      rows.length > limit ? more : h('span'),
    );
  };
  const search = h('input', {
    type: 'search',
    placeholder: 'Filter by op, layer or kernel',
    'aria-label': 'Filter by op, layer or kernel',
    oninput: () => show(search.value),
  });
  show('');
  const clock =
    data.resolution >= 10
      ? ` The clock counts in steps of ${short(data.resolution)} µs: only sums over many launches mean something.`
      : '';
  return h(
    'section',
    {},
    h('p', { class: 'soft' }, `Calls with launches, the longest first.${clock}`),
    h('p', {}, search),
    list,
  );
}

function rowsOf(data: StepReportData, index: LayerIndex) {
  const calls = data.calls.map((call) => ({
    op: call.backward ? `${call.op} · ∇${call.backward.op}` : call.op,
    layer: index.pathOf(call.layer),
    output: call.outputs
      .flatMap((id) => data.tensors[id] ?? [])
      .map(specText)
      .join(', '),
    launches: call.launches,
    totals: totalsOf([call]),
  }));
  const outside = data.outside.map((launch) => ({
    op: launch.kernel,
    layer: '(outside of ops)',
    output: '',
    launches: [launch],
    totals: { milliseconds: launch.milliseconds, launches: 1, bytes: launch.bytes, flops: launch.flops },
  }));
  return [...calls, ...outside]
    .filter(({ launches }) => launches.length > 0)
    .sort((a, b) => b.totals.milliseconds - a.totals.milliseconds)
    .map(({ op, layer, output, launches, totals }) => {
      const kernels = launches.map(({ kernel, variant }) => `${kernel}${variant ? ` (${variant})` : ''}`);
      const { milliseconds, bytes, flops } = totals;
      return {
        text: [op, layer, ...kernels].join(' ').toLowerCase(),
        cells: () => [
          h('b', {}, op),
          layer,
          output,
          timeText(milliseconds),
          percent(milliseconds, data.total.milliseconds),
          String(launches.length),
          bytesText(bytes),
          short(speed(flops, milliseconds)),
          h(
            'span',
            { class: 'mono variants', title: [...new Set(kernels)].join('\n') },
            [...new Set(kernels)].join('; '),
          ),
        ],
      };
    });
}
