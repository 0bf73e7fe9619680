/** @file StepReport: the result of `inspect`, as data, text, or a page. */
import { describe, hintFor } from '../../core/describe.ts';
import { FormatError, ValueError } from '../../core/errors.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import { areComparable, differencesOf } from './differences.ts';
import { frozenText } from './frozenText.ts';
import { htmlOf } from './html.ts';
import type { Finding, StepReportData } from './reportData.ts';
import { showPage } from './show.ts';
import { writeText } from './writeText.ts';

const nothingFound =
  'nothing conspicuous was found in this step; shuffled labels and a learning rate that is some times too high or too low show in the loss of many steps (recordSteps)';

/** The report of one step: `toJSON()` returns all of its data, `html()` a page that shows it. */
export class StepReport<R = unknown> {
  readonly #data: StepReportData;

  /** Errors: FormatError for what isn't the data of a report. */
  constructor(
    data: StepReportData,
    /** The result of the step. Tensors in it belong to the caller. Undefined if the step failed. */
    readonly result: R | undefined = undefined,
  ) {
    requireReportData(data);
    this.#data = data;
  }

  /** Observations about the step, the worst first. */
  get findings(): readonly Finding[] {
    return this.#data.findings;
  }

  /** Returns the report as plain data: `JSON.stringify(report)`. */
  toJSON(): StepReportData {
    return this.#data;
  }

  /** Returns the totals and the findings as text. */
  summary(): string {
    const { name, total, memory, findings } = this.#data;
    const frozen = frozenText(this.#data);
    const megabytes = (memory.peak / 1e6).toFixed(1);
    const lines = findings.flatMap(({ severity, title, text, hint, callSite, layer }) => [
      `${severity}: ${title}`,
      ...text.split('\n').map((line) => `  ${line.trim()}`),
      ...(layer || callSite
        ? [`  at: ${[layer && `layer '${layer}'`, callSite].filter(Boolean).join(', ')}`]
        : []),
      `  hint: ${hint}`,
    ]);
    return [
      `${name}: ${total.calls} calls, ${total.launches} launches, ${total.milliseconds.toFixed(3)} ms on the GPU, ${megabytes} MB at the peak`,
      ...(frozen ? [frozen] : []),
      ...(lines.length > 0 ? lines : [nothingFound]),
    ].join('\n');
  }

  /**
   * Returns the report as one self-contained HTML file, which needs no network or server. It opens in any browser from 2024 or
   * later.
   */
  html(): string {
    return htmlOf({ report: this.#data });
  }

  /**
   * Writes `html()`, or the JSON if the name ends in `.json`. Targets as for `model.save`: a path in Node, a file handle or a
   * stream in a page.
   */
  save(target: SaveTarget): Promise<void> {
    return writeText(target, () => this.html(), this);
  }

  /** In a page: shows the report next to the app, or in `container`. Resolves to the element, which can be removed. */
  show(container?: Element): Promise<HTMLElement> {
    return showPage({ report: this.#data }, container);
  }

  toString(): string {
    return this.summary();
  }
}

/** A comparison of two steps, such as before and after a change. */
export class StepComparison {
  /** Called by `compareSteps`. */
  constructor(
    readonly before: StepReport,
    readonly after: StepReport,
  ) {}

  /**
   * The differences between the models of the two steps, such as "only after: 'head/kernel' [8, 3]". Empty if their weights are
   * the same ones. Only what both models have is compared.
   */
  get differences(): readonly string[] {
    return differencesOf(this.before.toJSON(), this.after.toJSON());
  }

  /** Both reports as plain data. */
  toJSON(): { before: StepReportData; after: StepReportData } {
    return { before: this.before.toJSON(), after: this.after.toJSON() };
  }

  /** One HTML file: the report of the second step, and what changed since the first. */
  html(): string {
    return htmlOf(this.#page);
  }

  /** Writes `html()`, or the JSON if the name ends in `.json`. Targets as for `StepReport.save`. */
  save(target: SaveTarget): Promise<void> {
    return writeText(target, () => this.html(), this);
  }

  /** In a page: as `StepReport.show`. */
  show(container?: Element): Promise<HTMLElement> {
    return showPage(this.#page, container);
  }

  get #page() {
    return { report: this.after.toJSON(), before: this.before.toJSON() };
  }
}

/**
 * Compares two steps: numbers, findings, time of layers, gradients of weights. Reports saved as JSON can be compared, too:
 * `new StepReport(JSON.parse(text))`. A model may be changed in between: `differences` and the page name the weights that only
 * one of the steps has. Errors: ValueError for anything but reports, and for reports of models without a weight in common.
 */
export function compareSteps(before: StepReport, after: StepReport): StepComparison {
  requireReport('before', before);
  requireReport('after', after);
  requireComparable(before.toJSON(), after.toJSON());
  return new StepComparison(before, after);
}

function requireReport(what: string, report: unknown): void {
  if (report instanceof StepReport) return;
  throw new ValueError({
    op: 'compareSteps',
    rule: 'two reports of steps are compared.',
    received: `${what}: ${describe(report)}`,
    hint: hintFor(
      report,
      isReportData(report)
        ? 'make a report of the data: new StepReport(JSON.parse(text)).'
        : 'pass reports of `inspect`, or of `recording.open`.',
    ),
  });
}

function requireComparable(before: StepReportData, after: StepReportData): void {
  if (areComparable(before, after)) return;
  const text = ({ name, weights }: StepReportData) =>
    weights.length === 0
      ? `'${name}' without weights`
      : `'${name}' with ${weights.length} weights from '${weights[0]?.name}' [${weights[0]?.shape.join(', ')}] on`;
  throw new ValueError({
    op: 'compareSteps',
    rule: 'two steps of one model are compared, or of two with weights of the same names.',
    received: `before: ${text(before)}; after: ${text(after)}`,
    hint: 'inspect the same model twice. Two models are compared by their weights if their layers have the same names, such as layers.dense({ units, name }).',
  });
}

function requireReportData(data: unknown): asserts data is StepReportData {
  if (isReportData(data)) return;
  throw new FormatError({
    op: 'StepReport',
    rule: 'a report is made of the data that `report.toJSON()` gives, of version 1.',
    received: describe(data),
    hint:
      typeof data === 'string'
        ? 'parse it first: new StepReport(JSON.parse(text)).'
        : 'read a file that report.save(name) wrote with a name that ends in .json.',
  });
}

function isReportData(data: unknown): data is StepReportData {
  const { format, version } = (data ?? {}) as Partial<StepReportData>;
  return format === 'retrograd step report' && version === 1;
}
