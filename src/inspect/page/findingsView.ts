/** @file Shows the findings as text, and the main numbers of the step. */
import { frozenText } from '../step/frozenText.ts';
import type { Finding, StepReportData } from '../step/reportData.ts';
import { h } from './dom.ts';
import { bytesText, short, speed, timeText } from './format.ts';

/** Shows the main numbers of the step. */
export function tiles(data: StepReportData): HTMLElement {
  const { total, memory, loss, gradientNorm } = data;
  const rate = speed(total.flops, total.milliseconds);
  const numbers: [string, string, string][] = [
    ['loss', short(loss), loss === null ? 'none, or not finite' : 'before the step'],
    ['gradient', short(gradientNorm), 'norm over all weights'],
    [
      'GPU time',
      timeText(total.milliseconds),
      data.timing === 'wall' ? 'wall time of each launch' : 'by timestamps',
    ],
    ['launches', String(total.launches), `in ${total.calls} calls of ops`],
    ['GFLOP/s', short(rate), `${bytesText(total.bytes)} moved`],
    ['memory', bytesText(memory.peak), `peak, ${bytesText(memory.before)} before`],
  ];
  return h(
    'dl',
    { class: 'tiles' },
    ...numbers.map(([name, value, note]) =>
      h('div', {}, h('dt', {}, name), h('dd', {}, value), h('dd', { class: 'soft' }, note)),
    ),
  );
}

const severities = { error: 'Error', warning: 'Warning', note: 'Note' } as const;

/** Shows all findings; `show` opens the graph at a call. */
export function findingsView(data: StepReportData, show: (call: number) => void): HTMLElement {
  const { findings, cost } = data;
  const frozen = frozenText(data);
  const nothing = h(
    'div',
    { class: 'finding good' },
    h('h3', {}, 'Nothing conspicuous'),
    h(
      'p',
      {},
      'Every weight that is trained has a gradient of a sensible size, all values are finite, and all indices are in range. That the step learns the right thing only a test set shows.',
    ),
  );
  return h(
    'section',
    { class: 'findings' },
    ...(findings.length > 0 ? findings.map((finding) => card(finding, show)) : [nothing]),
    frozen && h('p', { class: 'soft' }, `${frozen}.`),
    h(
      'p',
      { class: 'soft cost' },
      `The inspection added ${cost.launches} launches and ${cost.reads} reads of together ${bytesText(cost.readBytes)} to the step; they are not in the numbers above. Without an inspection nothing of it is loaded or run.`,
    ),
  );
}

/** Shows one finding; `show` opens the graph at its call. */
export function card(finding: Finding, show: (call: number) => void): HTMLElement {
  const { severity, title, text, hint, layer, callSite, call, weights } = finding;
  const where = [layer && `layer ${layer}`, callSite].filter(Boolean).join(' · ');
  return h(
    'article',
    { class: `finding ${severity}` },
    h(
      'div',
      { class: 'row' },
      h('span', { class: 'pill' }, severities[severity]),
      h('span', { class: 'soft mono' }, where),
    ),
    h('h3', {}, title),
    ...text.split('\n').map((line) => h('p', {}, line.trim())),
    h('p', { class: 'hint' }, h('b', {}, 'What to do: '), hint),
    weights.length > 3 &&
      h(
        'details',
        {},
        h('summary', {}, `${weights.length} weights`),
        h('p', { class: 'mono' }, weights.join(', ')),
      ),
    call !== null &&
      h('button', { type: 'button', class: 'link', onclick: () => show(call) }, 'Show in the graph'),
  );
}
