/** @file Memory over the step: the level, and the buffers that are alive at any point of it. */
import type { ReportedAllocation, ReportedCall, ReportedMemory, StepReportData } from '../step/reportData.ts';
import { h, s, table } from './dom.ts';
import { bytesText, percent, specText } from './format.ts';
import { LayerIndex } from './totals.ts';

const width = 1000;
const height = 220;
/** Number of buffers in the chart of lifetimes, and in the table. */
const maxBars = 40;
const maxRows = 30;

export function memoryView(data: StepReportData): HTMLElement {
  const { memory, calls } = data;
  const index = new LayerIndex(data);
  const last = Math.max(1, calls.length);
  const shown = h('div', {});
  const marker = s('line', { class: 'marker', y1: 0, y2: height });
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: last,
    value: memory.peakAt,
    'aria-label': 'Calls made',
    oninput: () => at(Number(slider.value)),
  });
  const at = (call: number) => {
    const x = (width * call) / last;
    marker.setAttribute('x1', String(x));
    marker.setAttribute('x2', String(x));
    shown.replaceChildren(...moment(data, index, call));
  };
  at(memory.peakAt);
  return h(
    'section',
    {},
    h('p', {}, explain(data, index)),
    h('div', { class: 'chart' }, levelChart(data, marker), slider),
    shown,
    h('h3', {}, 'Lifetimes of the largest buffers'),
    lifetimes(data),
  );
}

/** Returns the buffers that are alive after `call` calls, or at the peak, which may be within a call. */
function aliveAt({ peakAt, allocations }: ReportedMemory, call: number): ReportedAllocation[] {
  return allocations.filter(({ from, to, atPeak }) =>
    call === peakAt ? atPeak : from <= call && (to === null || to > call),
  );
}

/** Describes what the peak consists of. */
function explain(data: StepReportData, index: LayerIndex): string {
  const { memory, calls } = data;
  const call = calls[Math.min(memory.peakAt, calls.length - 1)];
  const alive = aliveAt(memory, memory.peakAt);
  const groups = byReason(alive);
  const where = call
    ? ` at ${call.backward ? `the gradient of ${call.backward.op}` : call.op}${call.layer === null ? '' : ` in ${index.pathOf(call.layer)}`}`
    : '';
  const parts = [
    `${bytesText(memory.before)} (${percent(memory.before, memory.peak)}) were there before the step: weights, states of the optimizer, data`,
    ...groups.map(
      ([reason, bytes]) => `${bytesText(bytes)} (${percent(bytes, memory.peak)}) are ${reasons[reason]}`,
    ),
  ];
  return `The peak of ${bytesText(memory.peak)} is reached${where}, after ${memory.peakAt} of ${calls.length} calls. ${parts.join('; ')}.`;
}

const reasons: Record<ReportedAllocation['reason'], string> = {
  activation: 'activations in use',
  'saved for the gradient': 'activations saved for gradients',
  gradient: 'gradients',
  temporary: 'temporary buffers of ops',
  result: 'results that outlive the step, such as new values of weights',
  upload: 'uploads from the host',
};

function byReason(alive: readonly ReportedAllocation[]): [ReportedAllocation['reason'], number][] {
  const sums = new Map<ReportedAllocation['reason'], number>();
  for (const { reason, bytes } of alive) sums.set(reason, (sums.get(reason) ?? 0) + bytes);
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function levelChart({ memory, calls }: StepReportData, marker: SVGElement): SVGElement {
  const last = Math.max(1, calls.length);
  const x = (call: number) => (width * call) / last;
  const y = (bytes: number) => height - (height - 16) * (bytes / (memory.peak || 1));
  let line = `M0 ${y(memory.before)}`;
  for (const [call, bytes] of memory.curve) line += ` H${x(call)} V${y(bytes)}`;
  line += ` H${width}`;
  const backward = calls.filter((call) => call.backward).map(({ id }) => id);
  const from = Math.min(...backward);
  const to = Math.max(...backward);
  return s(
    'svg',
    {
      class: 'level',
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `Memory over the step, up to ${bytesText(memory.peak)}`,
    },
    backward.length > 0 &&
      s('rect', { class: 'backward', x: x(from), y: 0, width: x(to + 1) - x(from), height }),
    s('path', { class: 'area', d: `${line} V${height} H0 z` }),
    s('rect', { class: 'before', x: 0, y: y(memory.before), width, height: height - y(memory.before) }),
    s('path', { class: 'curve', d: line }),
    marker,
  );
}

/** Returns the buffers that are alive after `call` calls. */
function moment(data: StepReportData, index: LayerIndex, call: number): HTMLElement[] {
  const { memory, calls, tensors } = data;
  const alive = aliveAt(memory, call).toSorted((a, b) => b.bytes - a.bytes);
  const total = memory.before + alive.reduce((sum, { bytes }) => sum + bytes, 0);
  const now: ReportedCall | undefined = calls[call];
  const title = `${call === memory.peakAt ? 'At the peak' : `After ${call} calls`}${now ? `, in ${now.backward ? `the gradient of ${now.backward.op}` : now.op}` : ''}: ${bytesText(total)}`;
  const groups: [string, number][] = [['before', memory.before], ...byReason(alive)];
  const rows = alive.slice(0, maxRows).map(({ label, bytes, tensor, reason }) => {
    const found = tensor === null ? undefined : tensors[tensor];
    const maker = found?.maker === null || found?.maker === undefined ? undefined : calls[found.maker];
    return [
      maker?.op ?? label,
      found ? specText(found) : '–',
      maker ? index.pathOf(maker.layer) : '',
      reason,
      bytesText(bytes),
      percent(bytes, total),
    ];
  });
  const heads = [
    { text: 'Made by' },
    { text: 'Shape' },
    { text: 'Layer' },
    { text: 'Allocated as' },
    { text: 'Bytes', isNumber: true },
    { text: 'Share', isNumber: true },
  ];
  const rest = alive.length - rows.length;
  return [
    h('h3', {}, title),
    h(
      'ul',
      { class: 'legend' },
      ...groups.map(([reason, bytes]) =>
        h(
          'li',
          { class: reason.replaceAll(' ', '-') },
          `${reason === 'before' ? 'before the step' : reason} ${bytesText(bytes)}`,
        ),
      ),
    ),
    table('Buffers that are alive', heads, rows),
    rest > 0 ? h('p', { class: 'soft' }, `and ${rest} smaller ones`) : h('span'),
  ];
}

function lifetimes({ memory, calls, tensors }: StepReportData): HTMLElement {
  const last = Math.max(1, calls.length);
  const largest = memory.allocations
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, maxBars)
    .sort((a, b) => a.from - b.from);
  return h(
    'ol',
    { class: 'lifetimes' },
    ...largest.map(({ from, to, bytes, label, tensor, reason }) => {
      const found = tensor === null ? undefined : tensors[tensor];
      const start = (width * from) / last;
      const length = Math.max(3, (width * (to ?? last)) / last - start);
      return h(
        'li',
        {},
        h('span', { class: 'name' }, h('b', {}, label), ` ${found ? specText(found) : ''}`),
        s(
          'svg',
          { class: 'bar', viewBox: `0 0 ${width} 12`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
          s('rect', { class: 'track', width, height: 12 }),
          s('rect', { class: reason.replaceAll(' ', '-'), x: start, width: length, height: 12 }),
        ),
        h('span', { class: 'value' }, bytesText(bytes)),
      );
    }),
  );
}
