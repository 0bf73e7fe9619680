/** @file The page around `verify`: progress, a table of the variants, and the report to copy or download. */
import '../../website/style/tokens.css';
import { init, tuning, type VariantReport, type VerificationReport, verify } from 'retrograd';

const element = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;
const [status, result] = [element('status'), element('result')];
const [start, stop] = [element<HTMLButtonElement>('start'), element<HTMLButtonElement>('stop')];
const [copy, download] = [element<HTMLButtonElement>('copy'), element<HTMLButtonElement>('download')];
const bar = element<HTMLProgressElement>('progress');

const columns: { title: string; text: (variant: VariantReport) => string; isNumber: boolean }[] = [
  { title: 'Result', text: ({ status: found }) => found, isNumber: false },
  { title: 'Checks', text: ({ checks }) => String(checks), isNumber: true },
  { title: 'Largest error', text: ({ worstError }) => worstError.toExponential(1), isNumber: true },
  { title: 'ms', text: ({ milliseconds }) => milliseconds.toFixed(1), isNumber: true },
];

function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = '', isNumber = false) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (isNumber) made.className = 'number';
  return made;
}

function show(report: VerificationReport): void {
  const table = make('table');
  const head = make('tr');
  head.append(make('th', 'Variant'), ...columns.map(({ title, isNumber }) => make('th', title, isNumber)));
  const rows = report.variants.map((variant) => {
    const row = make('tr');
    row.dataset.status = variant.status;
    const name = make('th', variant.name);
    name.scope = 'row';
    row.append(name, ...columns.map(({ text, isNumber }) => make('td', text(variant), isNumber)));
    return row;
  });
  table.append(make('caption', String(report).split('\n')[0]), head, ...rows);
  result.replaceChildren(table);
  const lines = String(report).split('\n');
  status.textContent = `Done: ${lines[1]}.${report.avoided.length > 0 ? ` Avoided here: ${report.avoided.join(', ')}.` : ''}`;
  copy.hidden = download.hidden = false;
  copy.onclick = async () => {
    await navigator.clipboard.writeText(`${report}\n${navigator.userAgent}`);
    copy.textContent = 'Copied';
  };
  download.onclick = () => {
    const link = make('a');
    const text = JSON.stringify({ ...report, userAgent: navigator.userAgent }, null, 2);
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = 'retrograd-check.json';
    link.click();
    URL.revokeObjectURL(link.href);
  };
}

/** `?only=^gemm` checks some of the variants. */
const only = new URLSearchParams(location.search).get('only');

async function run(): Promise<void> {
  const controller = new AbortController();
  stop.onclick = () => controller.abort();
  start.disabled = true;
  stop.hidden = bar.hidden = false;
  try {
    const report = await verify({
      ...(only === null ? {} : { only: new RegExp(only) }),
      signal: controller.signal,
      onProgress: ({ done, total, variant, check }) => {
        bar.value = total > 0 ? done / total : 1;
        status.textContent = variant === null ? 'Done.' : `${done} of ${total}: ${variant}, ${check}`;
      },
    });
    show(report);
  } catch (error) {
    status.textContent = controller.signal.aborted ? 'Stopped.' : String(error);
  } finally {
    start.disabled = false;
    stop.hidden = bar.hidden = true;
  }
}

try {
  const { adapter } = await init({ tuning: tuning() });
  const { description, vendor, architecture } = adapter;
  const name = description || `${vendor} ${architecture}`.trim() || 'an unnamed adapter';
  status.textContent = `Ready to check ${name}: some seconds on a GPU, up to two minutes without one.`;
  start.onclick = () => void run();
  start.disabled = false;
} catch (error) {
  status.textContent = error instanceof Error ? error.message : String(error);
}
