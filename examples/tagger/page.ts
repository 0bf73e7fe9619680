/** @file The page: its buttons, and what they start. One thing runs at a time, and can be stopped. */
import '../../website/style/tokens.css';
import { init } from 'retrograd';
import { inspect } from 'retrograd/inspect';
import { lineChart } from 'retrograd/show';
import { choosePart, compileFor, learn, type Part } from './learn.ts';
import { labels, type Network, openNetwork } from './network.ts';
import { partsOf } from './parts.ts';
import { rowsOf } from './rows.ts';
import { sentencesOf, wordsOf } from './sentences.ts';
import { scoreOf, tag } from './tag.ts';

const element = <E extends Element = HTMLElement>(id: string) => document.getElementById(id) as unknown as E;
const button = (id: string) => element<HTMLButtonElement>(id);
const numberIn = (id: string) => Number(element<HTMLInputElement>(id).value);
const say = (words: string) => {
  element('status').textContent = words;
};
const percent = (part: number) => `${(100 * part).toFixed(0)} %`;

const first =
  'Captain Vera Stone left Nantucket for Lisbon. Yesterday Hugo Mendes wrote to Cedar Motors in Oslo.';
/** What measures the network. */
const measured = sentencesOf(96, 2, 'heldBack');

const curve = lineChart(
  {},
  { xLabel: 'pass', yLabel: 'percent', title: 'Words of names with the right label, in percent' },
);
curve.show(element('curve'));

let network: Network | null = null;
/** What learns; null before it does. */
let part: Part | null = null;
let passes = 0;
/** The percentages after each pass, by what learned. */
const passed: Partial<Record<string, (readonly [number, number])[]>> = {};
let running: AbortController | null = null;

function refresh(): void {
  const isIdle = network !== null && running === null;
  button('learn').disabled = network === null;
  button('learn').textContent = running ? 'Stop' : 'Learn';
  for (const id of ['forget', 'inspect']) button(id).disabled = !isIdle || part === null;
}

/** Runs one thing, unless another runs; says why it failed. */
async function run(what: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (running) return;
  running = new AbortController();
  const { signal } = running;
  refresh();
  try {
    await what(signal);
  } catch (error) {
    if (signal.aborted) say('Stopped.');
    else say(error instanceof Error ? error.message : String(error));
  } finally {
    running = null;
    refresh();
  }
}

/** Opens the network as it came. */
async function open(): Promise<void> {
  say('Loading the network …');
  await init();
  const opened = await openNetwork(new URL('./model/', document.baseURI));
  network?.net.dispose();
  [network, part, passes] = [opened, null, 0];
  element('score').textContent = 'It hasn’t learned yet: its labels are guesses.';
  element('report').replaceChildren();
  showParts();
  await showTags();
  say('Ready. It marks names once it has learned.');
}

/** Words with marks around names. */
function marked(words: readonly string[], found: readonly number[]): (string | Node)[] {
  return words.flatMap((word, i) => {
    const space = i > 0 && !/^[.,;:!?)’]$/.test(word) ? ' ' : '';
    const label = labels[found[i] ?? 0];
    if (label === undefined || label === 'none') return [space, word];
    const mark = document.createElement('mark');
    mark.dataset.label = label;
    mark.title = label;
    mark.textContent = word;
    return [space, mark];
  });
}

/** Marks the names in the visitor's text, once labels have been learned. */
async function showTags(): Promise<void> {
  const text = element<HTMLTextAreaElement>('text').value;
  // Each sentence is a row by itself.
  const sentences = (text.match(/[^.!?]+[.!?]*/g) ?? []).map((words) => ({ words: wordsOf(words) }));
  const shown = sentences.filter(({ words }) => words.length > 0);
  const found = part && network && shown.length > 0 ? await tag(network, shown) : [];
  element('tagged').replaceChildren(
    ...shown.flatMap(({ words }, i) => [' ', ...marked(words, found[i] ?? [])]),
  );
}

function showParts(): void {
  const { net } = network as Network;
  const cell = (kind: 'td' | 'th', text: string, isNumber = false) => {
    const made = document.createElement(kind);
    made.textContent = text;
    if (kind === 'th') made.setAttribute('scope', 'row');
    if (isNumber) made.className = 'number';
    return made;
  };
  const rows = partsOf(net).map(({ name, values, learned, history }) => {
    const row = document.createElement('tr');
    const numbers = [values, learned].map((count) => cell('td', count.toLocaleString('en'), true));
    row.append(cell('th', name), ...numbers, cell('td', history));
    return row;
  });
  element('parts').replaceChildren(...rows);
  reachByKeyboard(element('parts').closest('.scroll') as HTMLElement);
}

/** On a narrow page the table scrolls. */
function reachByKeyboard(scrolled: HTMLElement): void {
  scrolled.tabIndex = 0;
  scrolled.setAttribute('role', 'group');
  scrolled.setAttribute('aria-labelledby', 'parts-title');
}

function showCurve(): void {
  curve.update(Object.fromEntries(Object.entries(passed).map(([name, points]) => [name, points ?? []])));
}

const nameOf: Readonly<Record<Part, string>> = { head: 'head only', adapters: 'head and adapters' };

/** Measures what it knows. Resolves to words. */
async function measure(): Promise<string> {
  const { names, right, others, taken } = await scoreOf(network as Network, measured);
  passed[nameOf[part as Part]]?.push([passes, (100 * right) / names]);
  showCurve();
  return `${right} of ${names} words of names are right, ${percent(right / names)}; ${taken} of ${others} other words are taken for names.`;
}

async function learnLabels(signal: AbortSignal): Promise<void> {
  const wanted = element<HTMLSelectElement>('part').value as Part;
  if (part !== wanted) {
    if (part !== null) await open();
    await choosePart((network as Network).net, wanted);
    part = wanted;
    passed[nameOf[part]] = [];
    showParts();
  }
  const more = numberIn('passes');
  const done = passes;
  const rows = rowsOf((network as Network).coder, sentencesOf(numberIn('count'), 1, 'learned'), {
    withGaps: true,
  });
  say('Learning …');
  try {
    await learn({
      net: (network as Network).net,
      rows,
      passes: more,
      signal,
      onPass: async (pass, loss) => {
        passes = done + pass;
        element('score').textContent = await measure();
        await showTags();
        say(`Pass ${passes} of ${done + more} · loss ${loss.toFixed(3)}`);
      },
    });
  } finally {
    rows.dispose();
  }
  showParts();
  say(`Done: ${element('score').textContent}`);
}

/** Takes one more step, and shows its report. */
async function inspectStep(): Promise<void> {
  const { net, coder } = network as Network;
  say('Inspecting a step …');
  const rows = rowsOf(coder, sentencesOf(16, 3, 'learned'));
  compileFor(net);
  try {
    const report = await inspect(() => net.trainOnBatch(rows.x, rows.y, { sampleWeight: rows.weights }));
    report.show(element('report'));
    await showTags();
    say(`Inspected: ${report.summary().split('\n')[0]}`);
  } finally {
    rows.dispose();
  }
}

element<HTMLTextAreaElement>('text').value = first;
const example = sentencesOf(20, 5, 'learned').find(({ labels: given }) => new Set(given).size > 2);
if (example) element('example').replaceChildren('For example: ', ...marked(example.words, example.labels));
element('text').addEventListener('input', () => run(showTags));
element('learning').addEventListener('submit', (event) => {
  event.preventDefault();
  if (running) running.abort();
  else run(learnLabels);
});
button('forget').addEventListener('click', () => run(open));
button('inspect').addEventListener('click', () => run(inspectStep));
run(open);
