/** @file StepReport: what `inspect` gives. As data, as text, and as a page. */
import type { Finding, StepReportData } from './reportData.ts';

/** The report of one step: `toJSON()` is all of it, `html()` a page that shows it. */
export class StepReport<R = unknown> {
  readonly #data: StepReportData;

  constructor(
    data: StepReportData,
    /** What the step returned. Tensors in it are the caller's. Undefined where the step failed. */
    readonly result: R | undefined,
  ) {
    this.#data = data;
  }

  /** What the step shows, in words, the worst first. */
  get findings(): readonly Finding[] {
    return this.#data.findings;
  }

  /** The report as plain data: `JSON.stringify(report)`. */
  toJSON(): StepReportData {
    return this.#data;
  }

  /** The totals and the findings as text. */
  summary(): string {
    const { name, total, memory, findings } = this.#data;
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
      ...(lines.length > 0 ? lines : ['nothing conspicuous was found']),
    ].join('\n');
  }

  toString(): string {
    return this.summary();
  }
}
