/** @file Tabs: a row of buttons, and the panel of the selected one. */
import { h } from './dom.ts';

export interface Tab {
  readonly name: string;
  /** Shown next to the name. */
  readonly badge?: HTMLElement | null;
  /** Creates the content when it is first shown. */
  make(): HTMLElement;
  /** Called whenever it is shown. */
  shown?(): void;
}

/** The selected tab: a report of a recording opens with the tab of the one shown before. */
export interface TabMemory {
  tab?: string;
}

export class Tabs {
  readonly buttons: readonly HTMLElement[];
  readonly panels: readonly HTMLElement[];

  constructor(
    private readonly tabs: readonly Tab[],
    /** The heading of each panel, for screen readers: its tab shows the same words. */
    private readonly heading: 'h2' | 'h3',
    private readonly memory: TabMemory,
  ) {
    this.panels = tabs.map(({ name }) =>
      h('div', {
        role: 'tabpanel',
        id: `panel-${slug(name)}`,
        'aria-labelledby': `tab-${slug(name)}`,
        hidden: true,
      }),
    );
    this.buttons = tabs.map(({ name, badge }, i) =>
      h(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${slug(name)}`,
          'aria-controls': `panel-${slug(name)}`,
          onclick: () => this.choose(name),
          onkeydown: (event) => this.#move(event as KeyboardEvent, i),
        },
        name,
        badge,
      ),
    );
  }

  /** Selects the remembered tab, or the first. */
  selectInitial(): void {
    const { tabs, memory } = this;
    this.#select((tabs.find(({ name }) => name === memory.tab) ?? tabs[0])?.name ?? '');
  }

  /** Selects a tab after a user action, which may scroll; the initial display must not. */
  choose(name: string): void {
    this.#select(name);
    this.buttons[this.tabs.findIndex((tab) => tab.name === name)]?.scrollIntoView({
      block: 'nearest',
      inline: 'nearest',
    });
  }

  #select(name: string): void {
    this.memory.tab = name;
    this.tabs.forEach((tab, i) => {
      const [button, panel] = [this.buttons[i], this.panels[i]];
      const isSelected = tab.name === name;
      button?.setAttribute('aria-selected', String(isSelected));
      button?.setAttribute('tabindex', isSelected ? '0' : '-1');
      panel?.toggleAttribute('hidden', !isSelected);
      if (!isSelected || !panel) return;
      if (panel.childElementCount === 0) panel.append(h(this.heading, { class: 'hidden' }, name), tab.make());
      tab.shown?.();
    });
  }

  #move(event: KeyboardEvent, i: number): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (i + step + this.tabs.length) % this.tabs.length;
    this.choose(this.tabs[next]?.name ?? '');
    this.buttons[next]?.focus();
  }
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
