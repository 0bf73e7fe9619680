/**
 * @file Shows a recording to scrub through: the curve of its numbers, a slider over its steps, and the report of the chosen
 * one.
 */
import type { RecordedStep, StepRecordingData } from '../recording/recordingData.ts';
import type { StepReportData } from '../step/reportData.ts';
import { h } from './dom.ts';
import { card } from './findingsView.ts';
import { short, timeText } from './format.ts';
import { mountReport, type TitleLevel } from './mountReport.ts';
import { StepCurve } from './stepCurve.ts';
import type { TabMemory } from './tabs.ts';

/** Replays a step and creates its report. */
export type OpenStep = (step: number) => Promise<StepReportData>;

export function mountRecording(
  container: Element | ShadowRoot,
  data: StepRecordingData,
  level: TitleLevel,
  open?: OpenStep,
): void {
  const { steps, findings } = data;
  const opened = new Map(Object.entries(data.opened).map(([step, report]) => [Number(step), report]));
  const names = lossFirst([...new Set(steps.flatMap(({ values }) => Object.keys(values)))]);
  const curve = new StepCurve(steps, () => [...opened.keys()]);
  const memory: TabMemory = {};
  const status = h('p', { class: 'status', role: 'status' });
  const report = h('div', {});
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: Math.max(0, steps.length - 1),
    'aria-label': 'Step',
    oninput: () => show(Number(slider.value)),
  });
  const button = h('button', { type: 'button', class: 'open', onclick: () => void replay(chosen()) });
  const choice = h(
    'select',
    { 'aria-label': 'Curve', onchange: () => curve.draw(choice.value, chosen()) },
    ...names.map((name) => h('option', { value: name }, name)),
  );
  const chosen = () => Number(slider.value);

  function show(step: number): void {
    slider.value = String(step);
    curve.draw(choice.value, step);
    status.textContent = describe(steps[step], step, steps.length);
    const found = opened.get(step);
    button.hidden = !open || found !== undefined || step < data.firstRetained;
    button.textContent = `Replay and open step ${step}`;
    report.replaceChildren(found ? h('div', {}) : note(step));
    if (found) mountReport(report.firstElementChild as Element, { report: found }, 2, memory);
  }

  function note(step: number): HTMLElement {
    const why =
      step < data.firstRetained
        ? `This step is no longer kept: steps ${data.firstRetained} to ${steps.length - 1} can be opened.`
        : `This step wasn't opened. In the program, recording.open(${step}) replays it.`;
    return h('p', { class: 'soft note' }, open && step >= data.firstRetained ? '' : why);
  }

  async function replay(step: number): Promise<void> {
    if (!open) return;
    button.disabled = true;
    button.textContent = `Replaying step ${step} …`;
    try {
      opened.set(step, await open(step));
      if (chosen() === step) show(step);
    } catch (error) {
      status.textContent = `Step ${step} can't be replayed: ${(error as Error).message}`;
    } finally {
      button.disabled = false;
    }
  }

  container.append(
    h(
      'div',
      { class: 'retrograd-report recording' },
      h(
        'header',
        {},
        h('p', { class: 'kicker' }, 'Recorded steps'),
        h(`h${level}`, { class: 'title' }, data.name),
        h('p', { class: 'soft' }, `${data.adapter} · retrograd ${data.library}`),
      ),
      findings.length > 0 &&
        h(
          'section',
          { class: 'findings', 'aria-label': 'Findings about the curves' },
          level === 1 && h('h2', { class: 'hidden' }, 'Findings about the curves'),
          ...findings.map((found) => card(found, () => {})),
        ),
      h('div', { class: 'chart' }, names.length > 1 && choice, curve.element, slider),
      h('div', { class: 'row start' }, status, button),
    ),
    report,
  );
  show(firstShown(steps, opened));
}

/** Puts the loss first, whose curve is drawn initially. */
function lossFirst(names: readonly string[]): string[] {
  return names.toSorted((a, b) => Number(b === 'loss') - Number(a === 'loss'));
}

/** Returns the first step that was opened, or that failed; otherwise the last. */
function firstShown(steps: readonly RecordedStep[], opened: ReadonlyMap<number, unknown>): number {
  const failed = steps.findIndex(({ error }) => error !== null);
  return opened.keys().next().value ?? (failed >= 0 ? failed : Math.max(0, steps.length - 1));
}

function describe(step: RecordedStep | undefined, index: number, count: number): string {
  if (!step) return 'No step was recorded.';
  const values = Object.entries(step.values).map(
    ([name, value]) => `${name} ${value === null ? 'not finite' : short(value)}`,
  );
  const parts = [`Step ${index} of ${count}`, ...values, timeText(step.milliseconds)];
  return [...parts, ...(step.error === null ? [] : [step.error.split('\n')[0]])].join(' · ');
}
