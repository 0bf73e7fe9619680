/** @file The page: a program of the gallery or of the link in the editor, with its output next to it. */
import type { Fault } from '../../../examples/notebook/protocol.ts';
import { element } from '../../../examples/notebook/page/element.ts';
import { OutputList } from '../../../examples/notebook/page/outputs/list.ts';
import { LanguageClient } from '../language/client.ts';
import { stripTypes } from '../language/stripTypes.ts';
import { RunnerClient } from '../runner/client.ts';
import type { FromRunner } from '../runner/protocol.ts';
import { Editor } from './editor.ts';
import { codeLink, readLink } from './link.ts';
import { programs } from './gallery.ts';
import { sourceOf } from './programs.ts';

const find = <E extends Element = HTMLElement>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
};

const FIRST = 'line';
const OWN = 'own';

type State = 'idle' | 'running' | 'done' | 'failed';

const words: Record<State, string> = { idle: 'Ready', running: 'Running', done: 'Done', failed: 'Failed' };
const pane = find('.shown');
const status = find('#status');
const choice = find<HTMLSelectElement>('#programs');
const stopButton = find<HTMLButtonElement>('#stop');

const language = new LanguageClient();
const runner = new RunnerClient({ onMessage: (message) => void hear(message) });
const outputs = new OutputList(find('#output'), (slot, name, value) => runner.tell(slot, name, value));
const editor = new Editor(find('#editor'), '', language, {
  onRun: () => void run(),
  onEdit: () => select(OWN),
});
let isLoading = false;

function setState(state: State, fault?: Fault): void {
  pane.dataset.state = state;
  status.textContent = words[state];
  stopButton.disabled = state === 'idle' || state === 'failed';
  const box = find('#fault');
  box.hidden = !fault;
  if (!fault) return;
  const title = fault.line === null ? fault.title : `${fault.title} (line ${fault.line})`;
  box.replaceChildren(element('strong', {}, title), ...(fault.text ? [element('p', {}, fault.text)] : []));
}

async function hear(message: FromRunner): Promise<void> {
  if (message.type === 'show') return outputs.show(message.slot, message.output);
  const mine = runs;
  await outputs.settle();
  if (mine !== runs) return;
  if (message.type !== 'failed') return setState('done');
  // The browser may not know `using`, or the editor's parser be more lenient than the language.
  if (message.isUnreadable && runsStripped) return run(false);
  setState('failed', message.fault);
}

/** The latest run: an older one that was still being compiled is dropped. */
let runs = 0;
/** Whether it runs without its types, but not compiled. */
let runsStripped = false;

async function run(mayStrip = true): Promise<void> {
  const mine = ++runs;
  runner.prepare();
  setState('running');
  outputs.clear();
  const { source } = editor;
  const stripped = mayStrip ? stripTypes(source) : null;
  runsStripped = stripped !== null;
  if (stripped !== null) return runner.run({ code: stripped, map: null });
  try {
    const program = await language.ask('transpile', { source });
    if (mine !== runs) return;
    if ('code' in program) runner.run(program);
    else setState('failed', { title: 'SyntaxError', text: program.message, line: program.line });
  } catch (error) {
    const title = error instanceof Error ? error.message : String(error);
    setState('failed', { title, text: '', line: null });
  }
}

function stop(): void {
  runs++;
  runner.stop();
  void outputs.settle();
  setState('idle');
  status.textContent = 'Stopped';
}

/** Shows which program is open; `own` is a program of the visitor or of a link. */
function select(name: string): void {
  if (isLoading || choice.value === name) return;
  const own = choice.querySelector<HTMLOptionElement>(`option[value="${OWN}"]`);
  if (own) own.hidden = name !== OWN;
  choice.value = name;
  find('#about').textContent = programs.find((program) => program.name === name)?.words ?? '';
}

function load(source: string, name: string): void {
  select(name);
  isLoading = true;
  editor.source = source;
  isLoading = false;
}

/** Opens the program that the address requests. A program from a link waits for Run: its author may be anyone. */
async function open(): Promise<void> {
  const asked = await readLink(location.hash).catch(() => {
    setState('failed', {
      title: 'This link’s program can’t be read.',
      text: 'The link may have been cut off.',
      line: null,
    });
    return null;
  });
  if (asked && 'code' in asked) {
    stop();
    load(asked.code, OWN);
    status.textContent = 'A program from a link. Read it, then run it.';
    return;
  }
  const name = asked && sourceOf(asked.program) !== undefined ? asked.program : FIRST;
  load(sourceOf(name) ?? '', name);
  await run();
}

async function share(): Promise<void> {
  history.replaceState(null, '', await codeLink(editor.source));
  const copied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  status.textContent = copied ? 'Link copied.' : 'The link is in the address bar.';
}

choice.append(
  ...[...new Set(programs.map(({ topic }) => topic))].map((topic) =>
    element(
      'optgroup',
      { label: topic },
      ...programs
        .filter((program) => program.topic === topic)
        .map(({ name, title }) => element('option', { value: name }, title)),
    ),
  ),
  element('option', { value: OWN, hidden: true }, 'A program of your own'),
);
choice.value = '';
choice.addEventListener('change', () => {
  if (choice.value === OWN) return;
  location.hash = `program=${choice.value}`;
});
find('#run').addEventListener('click', () => void run());
stopButton.addEventListener('click', stop);
find('#share').addEventListener('click', () => void share());
addEventListener('hashchange', () => void open());
// A file dropped outside of its field would otherwise replace the page.
for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());

// As part of another page, it is a program and its output.
document.documentElement.classList.toggle('part', new URLSearchParams(location.search).has('part'));
void open();
