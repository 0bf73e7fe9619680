/**
 * @file A cell's code: a textarea, which supports keyboards, undo and screen readers, over the same text in colours. Tab
 * leaves it, as everywhere on the page; Shift+Enter runs.
 */
import { element } from './element.ts';
import { highlighted } from './highlight.ts';

export class Editor {
  readonly root: HTMLElement;
  readonly #area: HTMLTextAreaElement;
  readonly #colours = element('pre', { 'aria-hidden': 'true' });

  constructor(name: string, source: string, events: { onRun(): void; onEdit(): void }) {
    this.#area = element('textarea', {
      'aria-label': `Code of ${name}. Shift Enter runs it.`,
      spellcheck: 'false',
      autocapitalize: 'off',
      autocomplete: 'off',
      wrap: 'off',
    });
    this.#area.addEventListener('input', () => {
      this.#colour();
      events.onEdit();
    });
    this.#area.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      events.onRun();
    });
    this.root = element(
      'div',
      { class: 'editor' },
      element('div', { class: 'sheet' }, this.#colours, this.#area),
    );
    this.source = source;
  }

  get source(): string {
    return this.#area.value;
  }

  set source(source: string) {
    this.#area.value = source;
    this.#colour();
  }

  /** The coloured text determines the size of both. */
  #colour(): void {
    this.#colours.replaceChildren(...highlighted(this.source), '\n');
  }
}
