/** @file The content of the page: the rows to choose from, and the table of results. */
import { type Library, libraries } from '../job.ts';
import type { Listed } from '../main.ts';
import { short, shortRatio, titles } from '../report.ts';
import { medianOf, type RowResult } from '../result.ts';

/** Creates an element with attributes and children. */
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

/** The rows by family, with a checkbox for each row, for each family, and for all. */
export class Choices {
  readonly #choices: Choice[] = [];
  readonly #refresh: (() => void)[] = [];

  constructor({ all, families }: { all: HTMLElement; families: HTMLElement }, rows: readonly Listed[]) {
    const titleOf = (row: Listed) => row.family.split(',')[0] as string;
    for (const title of new Set(rows.map(titleOf))) {
      families.append(
        this.#family(
          title,
          rows.filter((row) => titleOf(row) === title),
        ),
      );
    }
    const count = element('span', { class: 'count', role: 'status' });
    const box = this.#boxOf(this.#choices, count, ' rows');
    all.append(element('label', {}, box, ' All '), count);
    this.#changed();
  }

  get chosen(): Listed[] {
    return this.#choices.filter(({ box, item }) => box.checked && !item.hidden).map(({ row }) => row);
  }

  /** Hides rows whose names don't contain `text`. */
  filter(text: string): void {
    for (const { row, item } of this.#choices)
      item.hidden = !row.name.toLowerCase().includes(text.toLowerCase());
    this.#changed();
  }

  #changed(): void {
    for (const refresh of this.#refresh) refresh();
  }

  #family(title: string, rows: readonly Listed[]): HTMLElement {
    const count = element('span', { class: 'count' });
    const choices = rows.map((row): Choice => {
      const box = element('input', { type: 'checkbox' });
      box.checked = true;
      box.addEventListener('change', () => this.#changed());
      return { row, box, item: element('li', {}, element('label', {}, box, row.name)) };
    });
    this.#choices.push(...choices);
    const box = this.#boxOf(choices, count);
    box.setAttribute('aria-label', `All rows of ${title}`);
    const family = element(
      'div',
      { class: 'family' },
      box,
      element(
        'details',
        {},
        element('summary', {}, `${title} `, count),
        element('ul', {}, ...choices.map(({ item }) => item)),
      ),
    );
    this.#refresh.push(() => {
      family.hidden = choices.every(({ item }) => item.hidden);
    });
    return family;
  }

  /** Creates a checkbox for all visible rows of `choices`. */
  #boxOf(choices: readonly Choice[], count: HTMLElement, unit = ''): HTMLInputElement {
    const all = element('input', { type: 'checkbox' });
    all.addEventListener('change', () => {
      for (const { box, item } of choices) if (!item.hidden) box.checked = all.checked;
      this.#changed();
    });
    this.#refresh.push(() => {
      const shown = choices.filter(({ item }) => !item.hidden);
      const checked = shown.filter(({ box }) => box.checked).length;
      all.checked = checked > 0 && checked === shown.length;
      all.indeterminate = checked > 0 && checked < shown.length;
      count.textContent = `${checked} of ${shown.length}${unit}`;
    });
    return all;
  }
}

export const headings = ['row', ...libraries.map((library) => titles[library]), 'ratio', 'of the limit'];

/** Creates a row of the table of results. */
export function resultRow(row: RowResult): HTMLTableRowElement {
  const values = libraries.map((library) => medianOf(row, library) ?? 0);
  const slowest = Math.max(...values);
  const { ratio, roofline } = row;
  const standing = ratio === null ? '' : ratio >= 1 ? ' ahead' : ' behind';
  const reached = roofline ? `${(100 * roofline.reached).toFixed(0)} %` : '';
  return element(
    'tr',
    { role: 'row' },
    element('th', { scope: 'row', role: 'rowheader' }, row.name),
    ...libraries.map((library) => valueCell(row, library, slowest)),
    cell({ class: `ratio${standing}`, 'data-heading': 'ratio' }, shortRatio(ratio)),
    cell({ 'data-heading': 'of the limit' }, reached),
  );
}

const cell = (attributes: Readonly<Record<string, string>>, ...children: (Node | string)[]) =>
  element('td', { role: 'cell', ...attributes }, ...children);

function valueCell(row: RowResult, library: Library, slowest: number): HTMLTableCellElement {
  const value = medianOf(row, library);
  const heading = { 'data-heading': titles[library] };
  const own = library === 'retrograd' ? ' own' : '';
  if (value === null) return cell({ class: `missing${own}`, ...heading }, row.notes[library] ?? 'not run');
  const share = element('span', { class: 'share' }, element('span'));
  (share.firstChild as HTMLElement).style.width = `${(100 * value) / slowest}%`;
  const spread = row.spread[library];
  const title = spread === undefined ? (row.notes[library] ?? '') : `± ${(100 * spread).toFixed(0)} %`;
  const figure = element('span', { class: 'figure' }, `${short(value)} ${row.unit}`);
  return cell({ class: `value${own}`, title, ...heading }, figure, share);
}
