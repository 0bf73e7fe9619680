/** @file table: rows of values as an HTML table. */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../core/options.ts';
import { requireElement } from './chart.ts';
import { requireText } from './checks.ts';
import { elementOf, htmlText, type Markup, markup } from './markup.ts';
import { valueText } from './numberText.ts';

/** One row: values by column. */
export type TableRow = Readonly<Record<string, string | number | boolean | null>>;

export interface TableOptions {
  /** What the table shows. Default ''. */
  caption?: string;
}

const optionNames: OptionNames<TableOptions> = { caption: false };

/** A table that is shown in a page, or written as HTML. */
export class Table {
  #rows: readonly TableRow[];
  readonly #caption: string;
  #shown: Element | null = null;

  /** @internal */
  constructor(rows: readonly TableRow[], caption: string) {
    this.#rows = rows;
    this.#caption = caption;
  }

  /** The table as HTML. */
  get html(): string {
    return htmlText(this.#draw());
  }

  /**
   * Shows the table in an element of a page, in place of its content. Returns itself.
   * Errors: DeviceError outside of a page; ValueError for anything but an element.
   */
  show(element: Element): this {
    const root = requireElement('table', element);
    this.remove();
    this.#shown = elementOf(root.ownerDocument, this.#draw());
    root.replaceChildren(this.#shown);
    return this;
  }

  /** Shows other rows. Errors: ValueError for anything but rows. */
  update(rows: readonly TableRow[]): this {
    this.#rows = requireRows(rows);
    if (!this.#shown) return this;
    const drawn = elementOf(this.#shown.ownerDocument, this.#draw());
    this.#shown.replaceWith(drawn);
    this.#shown = drawn;
    return this;
  }

  /** Takes the table out of its page. */
  remove(): void {
    this.#shown?.remove();
    this.#shown = null;
  }

  /** A wide table scrolls by itself, also by keyboard. */
  #draw(): Markup {
    const columns = [...new Set(this.#rows.flatMap((row) => Object.keys(row)))];
    const kind = (column: string) =>
      this.#rows.some((row) => typeof row[column] === 'number') ? 'number' : null;
    return markup(
      'div',
      { class: 'retrograd-table', tabindex: 0, role: 'group', 'aria-label': this.#caption || 'Table' },
      markup(
        'table',
        {},
        ...(this.#caption ? [markup('caption', {}, this.#caption)] : []),
        markup(
          'thead',
          {},
          markup(
            'tr',
            {},
            ...columns.map((column) => markup('th', { scope: 'col', class: kind(column) }, column)),
          ),
        ),
        markup(
          'tbody',
          {},
          ...this.#rows.map((row) =>
            markup(
              'tr',
              {},
              ...columns.map((column) => markup('td', { class: kind(column) }, cellText(row[column]))),
            ),
          ),
        ),
      ),
    );
  }
}

/**
 * A table of rows, with a column for each of their names: `table([{ layer: 'dense', weights: 650 }])`. Numbers have three digits; cells of numbers
 * have the class `number`, the table is inside of an element of the class `retrograd-table`.
 * Errors: ValueError for anything but rows of texts, numbers, booleans and null, and for options.
 */
export function table(rows: readonly TableRow[], options: TableOptions = {}): Table {
  checkOptions('table', options, optionNames);
  return new Table(requireRows(rows), requireText('table', 'caption', options.caption ?? ''));
}

function requireRows(rows: unknown): readonly TableRow[] {
  const isValue = (value: unknown) =>
    value === null || ['string', 'number', 'boolean'].includes(typeof value);
  const isRow = (row: unknown) => isPlainObject(row) && Object.values(row).every(isValue);
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new ValueError({
    op: 'table',
    rule: 'rows are a list of objects with texts, numbers, booleans or null by column.',
    received: Array.isArray(rows) ? describe(rows.find((row) => !isRow(row))) : describe(rows),
    hint: "pass [{ layer: 'dense', weights: 650 }]; the values of a tensor are in await tensor.data().",
  });
}

function cellText(value: string | number | boolean | null | undefined): string {
  if (typeof value === 'number') return valueText(value);
  return String(value ?? '–');
}
