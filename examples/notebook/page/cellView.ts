/** @file A cell on the page: its title and state, its output, its code, and the button that runs it. */
import type { Fault, Output, State } from '../protocol.ts';
import { Editor } from './editor.ts';
import { element } from './element.ts';
import { OutputList } from './outputs/list.ts';
import type { CellPlan } from './story.ts';

export interface CellEvents {
  run(source: string): void;
  event(slot: number, name: string, value: unknown): void;
}

const stateWords: Record<State, string> = {
  idle: 'not run yet',
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
};

export class CellView {
  readonly root: HTMLElement;
  readonly editor: Editor;
  readonly #output = element('div', { class: 'output' });
  readonly #fault = element('div', { class: 'fault', role: 'alert', hidden: true });
  readonly #state = element('span', { class: 'state' });
  readonly #outputs: OutputList;
  readonly #events: CellEvents;
  /** How often the cell was about to run. */
  #begun = 0;

  constructor(
    readonly plan: CellPlan,
    readonly original: string,
    corrected: string | undefined,
    events: CellEvents,
  ) {
    this.#events = events;
    this.#outputs = new OutputList(this.#output, (slot, action, value) => events.event(slot, action, value));
    const { name, title, support = false, run = 'Run' } = plan;
    this.editor = new Editor(title, original, {
      onRun: () => this.run(),
      onEdit: () => this.root.classList.add('edited'),
    });
    const button = (label: string, hint: string, press: () => void, kind = '') => {
      const made = element('button', { type: 'button', class: kind, title: hint }, label);
      made.addEventListener('click', press);
      return made;
    };
    const { fix } = plan;
    const bar = element(
      'div',
      { class: 'bar' },
      this.#state,
      button(run, 'Shift Enter in the code', () => this.load(fix ? original : this.editor.source), 'run'),
      ...(fix && corrected !== undefined
        ? [button(fix.label, 'Puts the corrected code here and runs it', () => this.load(corrected), 'fix')]
        : []),
      button('Undo edits', 'The code as it was', () => this.load(original), 'revert'),
    );
    const code = element(
      'details',
      { class: 'code', open: !support },
      element('summary', {}, element('code', {}, `${name}.js`)),
      this.editor.root,
    );
    this.root = element(
      'section',
      { class: support ? 'cell support' : 'cell', id: `cell-${name}`, 'aria-label': title },
      element('div', { class: 'shown' }, element('h3', {}, title), bar, this.#fault, this.#output),
      code,
    );
    this.setState('idle');
  }

  /** Runs the current code. */
  run(): void {
    this.#events.run(this.editor.source);
  }

  /** Replaces the code, and runs it. */
  load(source: string): void {
    this.editor.source = source;
    this.root.classList.toggle('edited', source !== this.original);
    this.run();
  }

  /** Shows what an earlier run showed, until this one is run. */
  showStored(outputs: readonly (readonly [slot: number, output: Output])[]): void {
    if (this.root.dataset.state !== 'idle') return;
    for (const [slot, output] of outputs) this.show(slot, output);
    this.#state.textContent = 'shown from an earlier run';
  }

  setState(state: State): void {
    this.#begun++;
    this.#showState(state);
  }

  #showState(state: State, fault?: Fault): void {
    this.root.dataset.state = state;
    this.#state.textContent = stateWords[state];
    this.#fault.hidden = !fault;
    this.#fault.replaceChildren();
    if (!fault) return;
    const { title, text, line } = fault;
    this.#fault.append(element('strong', {}, line === null ? title : `${title} (line ${line})`));
    if (text) this.#fault.append(element('p', {}, text));
  }

  /** As before the first run. */
  reset(): void {
    this.clear();
    void this.#outputs.settle();
    this.setState('idle');
  }

  clear(): void {
    this.#outputs.clear();
  }

  show(slot: number, output: Output): void {
    this.#outputs.show(slot, output);
  }

  /** Shows the state at the end of a run when its output is to be seen. False if the cell runs again by then. */
  async end(state: State, fault?: Fault): Promise<boolean> {
    const mine = this.#begun;
    await this.#outputs.settle();
    if (mine !== this.#begun) return false;
    this.#showState(state, fault);
    return true;
  }
}
