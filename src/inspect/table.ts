/** @file Formats rows as text in columns. */

/** A column: its heading and its cells. Numbers are already formatted, and aligned to the right. */
export interface Column<R> {
  readonly head: string;
  readonly text: (row: R) => string;
  readonly align?: 'left' | 'right';
}

export function textTable<R>(rows: readonly R[], columns: readonly Column<R>[]): string {
  const cells = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => (line[i] as string).length)));
  const lines = cells.map((line) =>
    line
      .map((text, i) => {
        const width = widths[i] as number;
        return columns[i]?.align === 'left' ? text.padEnd(width) : text.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return lines.join('\n');
}

/** Returns `text` in at most 48 characters. */
export function shortened(text: string): string {
  return text.length <= 48 ? text : `${text.slice(0, 47)}…`;
}

/** Formats a number with about three significant digits. */
export function amount(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return value.toFixed(0);
  return value >= 1 ? value.toFixed(value >= 10 ? 1 : 2) : value.toPrecision(2);
}
