/** @file A table. Numbers are right-aligned; on a narrow screen it scrolls separately. */
import type { Value } from '../../protocol.ts';
import { element } from '../element.ts';
import type { OutputView } from './view.ts';

const worded = (value: Value) =>
  typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(3) : String(value ?? '—');
const kind = (value: Value | undefined) => (typeof value === 'number' ? 'number' : null);

export function tableView(): OutputView<'table'> {
  const root = element('div', { class: 'table', tabindex: '0', role: 'group' });
  return {
    kind: 'table',
    root,
    update: ({ caption, columns, rows }) => {
      root.setAttribute('aria-label', caption || 'table');
      const table = element('table');
      if (caption) table.append(element('caption', {}, caption));
      const head = columns.map((column, i) =>
        element('th', { scope: 'col', class: kind(rows[0]?.[i]) }, column),
      );
      const body = rows.map((row) =>
        element('tr', {}, ...row.map((value) => element('td', { class: kind(value) }, worded(value)))),
      );
      table.append(element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body));
      root.replaceChildren(table);
    },
  };
}
