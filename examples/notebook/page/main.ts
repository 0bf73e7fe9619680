/** @file Builds the page from its story, and keeps page and kernel in step. */
import type { Fault, State, ToPage } from '../protocol.ts';
import { CellView } from './cellView.ts';
import { element } from './element.ts';
import { KernelClient } from './kernelClient.ts';
import { storedResults } from './stored.ts';
import { allCells, chapters } from './story.ts';

const files = import.meta.glob<string>('../cells/*.js', { query: '?raw', import: 'default', eager: true });
const sourceOf = (name: string): string => {
  const source = files[`../cells/${name}.js`];
  if (source === undefined) throw new Error(`There is no cells/${name}.js.`);
  return source.trimEnd();
};

const views = new Map<string, CellView>();
const announcer = document.querySelector('#announcer') as HTMLElement;
const kernel = new KernelClient({ onMessage: receive, onFailure: showFailure });

for (const { id, title, words, cells } of chapters) {
  const link = element('a', { href: `#${id}` }, title);
  document.querySelector('#chapters')?.append(element('li', {}, link));
  const chapter = element('section', { class: 'chapter', id, 'aria-labelledby': `${id}-title` });
  chapter.append(
    element('h2', { id: `${id}-title` }, title),
    ...words.map((text) => element('p', { class: 'words-of-chapter' }, text)),
  );
  for (const plan of cells) {
    const view = new CellView(plan, sourceOf(plan.name), plan.fix && sourceOf(plan.fix.name), {
      run: (source) => kernel.send({ type: 'run', cell: plan.name, source }),
      event: (slot, name, value) => kernel.send({ type: 'event', cell: plan.name, slot, name, value }),
    });
    views.set(plan.name, view);
    chapter.append(view.root);
  }
  document.querySelector('#notebook')?.append(chapter);
}

function receive(message: ToPage): void {
  if (message.type === 'ready') return;
  const view = views.get(message.cell);
  if (!view) return;
  if (message.type === 'clear') view.clear();
  else if (message.type === 'show') view.show(message.slot, message.output);
  else if (message.state === 'done' || message.state === 'failed')
    void end(view, message.state, message.fault);
  else view.setState(message.state);
}

async function end(view: CellView, state: State, fault?: Fault): Promise<void> {
  if (await view.end(state, fault)) announcer.textContent = `${view.plan.title}: ${state}.`;
}

function showFailure(reason: string): void {
  const view = views.get('adapter');
  void view?.end('failed', {
    title: 'The cells could not be started.',
    text: `${reason}\n\nThe page needs a browser that runs module Workers and WebGPU in them.`,
    line: null,
  });
}

function start(): void {
  for (const view of views.values()) {
    view.reset();
  }
  kernel.start(Object.fromEntries([...views].map(([name, { editor }]) => [name, editor.source])));
  for (const { name, opens } of allCells()) if (opens) views.get(name)?.run();
  void showStored();
}

/** Until its visitor runs them, the page shows what its cells do. */
async function showStored(): Promise<void> {
  for (const [name, outputs] of await storedResults()) views.get(name)?.showStored(outputs);
}

// A file dropped outside the drop zone would otherwise replace the page.
for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());

document.querySelector('#restart')?.addEventListener('click', start);
start();
