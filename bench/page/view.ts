/** @file What the page shows: the rows to choose from, and the table of results. */
import { type Library, libraries } from '../job.ts';
import type { Listed } from '../main.ts';
import { short, shortRatio, titles } from '../report.ts';
import { medianOf, type RowResult } from '../result.ts';

/** An element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element '${id}'.`);
  return found as T;
}

interface Choice {
  row: Listed;
  box: HTMLInputElement;
  item: HTMLLIElement;
}

/** The rows, by family, with a box each, and one for the whole family. */
export class Choices {
  readonly #choices: Choice[] = [];
  readonly #refresh: (() => void)[] = [];

  constructor(home: HTMLElement, rows: readonly Listed[]) {
    const titleOf = (row: Listed) => row.family.split(',')[0] as string;
    for (const title of new Set(rows.map(titleOf))) {
      home.append(
        this.#family(
          title,
          rows.filter((row) => titleOf(row) === title),
        ),
      );
    }
  }

  get chosen(): Listed[] {
    return this.#choices.filter(({ box, item }) => box.checked && !item.hidden).map(({ row }) => row);
  }

  /** Hides rows whose names don't hold `text`. */
  filter(text: string): void {
    for (const { row, item } of this.#choices)
      item.hidden = !row.name.toLowerCase().includes(text.toLowerCase());
    for (const refresh of this.#refresh) refresh();
  }

  #family(title: string, rows: readonly Listed[]): HTMLElement {
    const all = element('input', { type: 'checkbox', 'aria-label': `All rows of ${title}` });
    const count = element('span', { class: 'count' });
    const choices = rows.map((row): Choice => {
      const box = element('input', { type: 'checkbox' });
      box.checked = true;
      return { row, box, item: element('li', {}, element('label', {}, box, row.name)) };
    });
    this.#choices.push(...choices);
    const details = element(
      'details',
      {},
      element('summary', {}, all, ` ${title} `, count),
      element('ul', {}, ...choices.map(({ item }) => item)),
    );
    const refresh = () => {
      const shown = choices.filter(({ item }) => !item.hidden);
      const checked = shown.filter(({ box }) => box.checked).length;
      details.hidden = shown.length === 0;
      all.checked = checked === shown.length;
      all.indeterminate = checked > 0 && checked < shown.length;
      count.textContent = `${checked} of ${shown.length}`;
    };
    all.addEventListener('change', () => {
      for (const { box, item } of choices) if (!item.hidden) box.checked = all.checked;
      refresh();
    });
    for (const { box } of choices) box.addEventListener('change', refresh);
    this.#refresh.push(refresh);
    refresh();
    return details;
  }
}

export const headings = ['row', ...libraries.map((library) => titles[library]), 'ratio', 'of the limit'];

/** A row of the table of results. */
export function resultRow(row: RowResult): HTMLTableRowElement {
  const values = libraries.map((library) => medianOf(row, library) ?? 0);
  const slowest = Math.max(...values);
  const cells = libraries.map((library) => valueCell(row, library, slowest));
  const { ratio, roofline } = row;
  const standing = ratio === null ? '' : ratio >= 1 ? ' ahead' : ' behind';
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, row.name),
    ...cells,
    element('td', { class: `ratio${standing}` }, shortRatio(ratio)),
    element('td', {}, roofline ? `${(100 * roofline.reached).toFixed(0)} %` : ''),
  );
}

function valueCell(row: RowResult, library: Library, slowest: number): HTMLTableCellElement {
  const value = medianOf(row, library);
  const own = library === 'retrograd' ? 'own' : '';
  if (value === null) {
    const note = row.notes[library] ?? 'not run';
    const mark = /^(failed|wrong)/.exec(note)?.[0] ?? '–';
    return element('td', { class: `missing ${own}`, title: note }, mark, hidden(note));
  }
  const share = element('span', { class: 'share' });
  share.style.width = `${(100 * value) / slowest}%`;
  const spread = row.spread[library];
  const title = spread === undefined ? '' : `± ${(100 * spread).toFixed(0)} %`;
  return element('td', { class: own, title }, `${short(value)} ${row.unit}`, share);
}

/** For those who can't point at it. */
function hidden(text: string): HTMLElement {
  const span = element('span', {}, `: ${text}`);
  span.style.cssText = 'position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)';
  return span;
}
