/** @file The page around run.ts: the findings as an HTML table. */
import '../../website/style/tokens.css';
import { type Finding, run } from './run.ts';

const columns: { title: string; cell: (finding: Finding) => string; number?: boolean }[] = [
  { title: 'History', cell: (f) => f.history },
  { title: 'Gradient', cell: (f) => f.gradient },
  { title: 'A bad index', cell: (f) => f.badIndex },
  { title: 'ms', cell: (f) => f.milliseconds.toFixed(2), number: true },
  { title: 'KiB to host', cell: (f) => (f.bytesToHost / 1024).toFixed(0), number: true },
  { title: 'KiB to device', cell: (f) => (f.bytesToDevice / 1024).toFixed(0), number: true },
];

const element = (id: string) => document.getElementById(id) as HTMLElement;

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = '',
  className = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function show(found: readonly Finding[], caption: string): void {
  const table = make('table');
  table.append(make('caption', caption));
  const head = make('tr');
  head.append(
    make('th', 'Way'),
    ...columns.map(({ title, number }) => make('th', title, number ? 'number' : '')),
  );
  const body = make('tbody');
  for (const finding of found) {
    const row = make('tr');
    row.append(
      make('th', finding.way),
      ...columns.map(({ title, cell, number }) => {
        const made = make('td', cell(finding), number ? 'number' : '');
        made.dataset.title = title;
        return made;
      }),
    );
    body.append(row);
  }
  const header = make('thead');
  header.append(head);
  table.append(header, body);
  // On narrow screens the style removes a table's roles, unless they are explicit.
  const roles = { thead: 'rowgroup', tbody: 'rowgroup', tr: 'row', 'thead th': 'columnheader', td: 'cell' };
  for (const [parts, role] of Object.entries({ ...roles, 'tbody th': 'rowheader' }))
    for (const part of table.querySelectorAll(parts)) part.setAttribute('role', role);
  table.setAttribute('role', 'table');
  element('result').replaceChildren(table);
}

try {
  const lines: string[] = [];
  const found = await run((line) => lines.push(line));
  show(found, lines[0] as string);
  const explanation = element('explanation');
  explanation.textContent = lines.slice(lines.lastIndexOf('') + 1).join('\n');
  explanation.hidden = false;
  element('status').textContent = 'Done.';
} catch (error) {
  element('status').textContent = error instanceof Error ? error.message : String(error);
}
