/** @file The benchmark's page: choose rows, run them in this browser, copy the result. */
import type { Listed } from '../main.ts';
import { titles, toMarkdown } from '../report.ts';
import { type BenchResult, failuresOf, messageOf, rowResult, type VariantOutcome } from '../result.ts';
import { Frames } from './frames.ts';
import { byId, Choices, element, headings, resultRow } from './view.ts';

const frames = new Frames(byId('frames'));
const [run, stop] = [byId<HTMLButtonElement>('run'), byId<HTMLButtonElement>('stop')];
const [progress, doing] = [byId<HTMLProgressElement>('progress'), byId('doing')];
const rowsBody = byId<HTMLTableSectionElement>('rows');
let result: BenchResult | null = null;
let stopped = false;

// On narrow screens the style removes a table's roles, unless they are explicit.
for (const [parts, role] of Object.entries({ table: 'table', 'thead, tbody': 'rowgroup', '#head': 'row' }))
  for (const part of document.querySelectorAll(parts)) part.setAttribute('role', role);
byId('head').append(
  ...headings.map((heading) => element('th', { scope: 'col', role: 'columnheader' }, heading)),
);

async function start(): Promise<void> {
  const bench = await frames.bench('list');
  const inOrder = await bench.rowsInOrder();
  const choices = new Choices({ all: byId('all'), families: byId('families') }, await bench.listRows());
  const { adapter, engine } = await bench.emptyResult();
  byId('adapter').textContent = `Adapter: ${adapter || 'unnamed'}. Browser: ${browserOf(engine)}.`;
  const filter = byId<HTMLInputElement>('filter');
  filter.addEventListener('input', () => choices.filter(filter.value));
  byId<HTMLFormElement>('controls').addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = new Set(choices.chosen.map(({ name }) => name));
    void runAll(
      inOrder.filter(({ name }) => chosen.has(name)),
      chosen.size === inOrder.length,
    );
  });
  run.disabled = false;
}

/** Returns the name and version of a browser, from its user agent. */
function browserOf(engine: string): string {
  const [name, version] = /(?:Firefox|Edg|Chrome|Version)\/\d+/.exec(engine)?.[0].split('/') ?? [engine];
  const known: Record<string, string> = { Edg: 'Edge', Version: 'Safari' };
  return [known[name as string] ?? name, version].filter(Boolean).join(' ');
}

/** `verifies`: whether the kernels are verified, too. */
async function runAll(rows: readonly Listed[], verifies: boolean): Promise<void> {
  byId('results').hidden = false;
  if (rows.length === 0) {
    doing.textContent = 'No row is chosen.';
    return;
  }
  setRunning(true);
  try {
    await runRows(rows, verifies);
    doing.textContent = stopped ? 'Stopped' : 'Done';
  } catch (error) {
    frames.forget();
    doing.textContent = `The benchmark ended: ${messageOf(error)}`;
  } finally {
    setRunning(false);
  }
}

async function runRows(rows: readonly Listed[], verifies: boolean): Promise<void> {
  rowsBody.replaceChildren();
  byId('verification').textContent = '';
  byId('markdown').hidden = true;
  const bench = await frames.bench('list');
  doing.textContent = 'The limits of the adapter';
  result = { ...(await bench.emptyResult()), limits: await bench.limitsHere() };
  progress.max = rows.length;
  progress.value = 0;
  const budget = Number(byId<HTMLSelectElement>('budget').value);
  for (const [i, row] of rows.entries()) {
    if (stopped) break;
    // Not first: a visitor wants to see a row within seconds.
    if (verifies && i === rowsBeforeVerification) await verifyKernels(result);
    doing.textContent = row.name;
    const found = await frames
      .run(row, {
        budget,
        limits: result.limits,
        stage: (library) => {
          doing.textContent = library ? `${row.name}: ${titles[library]}` : row.name;
        },
      })
      .catch((error: unknown) =>
        rowResult(row.name, row.family, 'ms', {
          values: {},
          notes: { retrograd: `failed: ${messageOf(error)}` },
        }),
      );
    if (failuresOf(found).length > 0) frames.forget();
    result.rows.push(found);
    rowsBody.append(resultRow(found));
    progress.value++;
  }
}

/** The rows that are below 1 where results are recorded come first, and are about this many. */
const rowsBeforeVerification = 12;

async function verifyKernels(into: BenchResult): Promise<void> {
  const bench = await frames.bench('verification');
  const variants: VariantOutcome[] = [];
  into.variants = variants;
  const place = byId('verification');
  try {
    await bench.verifyKernels((outcome, count) => {
      variants.push(outcome);
      doing.textContent = `Verifying kernels: ${variants.length} of ${count}`;
      place.textContent = verificationText(variants);
    });
  } catch (error) {
    place.textContent = `The kernels could not be verified: ${messageOf(error)}`;
    frames.forget();
  }
}

function verificationText(variants: readonly VariantOutcome[]): string {
  const bad = variants.filter(({ status }) => status !== 'right');
  const right = `${variants.length - bad.length} of ${variants.length} kernel variants are right.`;
  const faults = bad.map(({ name, status, message }) => `${name}: ${status}. ${message ?? ''}`);
  return [right, ...faults].join(' ');
}

function setRunning(running: boolean): void {
  stopped = false;
  run.disabled = running;
  stop.disabled = !running;
}

stop.addEventListener('click', () => {
  stopped = true;
  doing.textContent = 'Stops after this row …';
});

const copy = byId<HTMLButtonElement>('copy');
copy.addEventListener('click', async () => {
  if (!result) return;
  const text = toMarkdown(result);
  try {
    await navigator.clipboard.writeText(text);
    doing.textContent = 'Copied';
  } catch {
    // If the browser doesn't let the page copy, the user can.
    const area = byId<HTMLTextAreaElement>('markdown');
    area.hidden = false;
    area.value = text;
    area.select();
    doing.textContent = 'This browser doesn’t let the page copy: press Ctrl+C (on a Mac ⌘C).';
  }
});

byId('save').addEventListener('click', () => {
  if (!result) return;
  const blob = new Blob([JSON.stringify(result, null, 2)], { type: 'application/json' });
  const link = element('a', {
    href: URL.createObjectURL(blob),
    download: `retrograd-report-${result.date}.json`,
  });
  link.click();
  URL.revokeObjectURL(link.href);
});

start().catch((error: unknown) => {
  byId('adapter').textContent = `The benchmark can’t start here: ${messageOf(error)}`;
});
