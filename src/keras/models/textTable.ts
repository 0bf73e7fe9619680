/**
 * @file Tables in text, drawn with lines: heavy ones around the header, light ones around each row. Cells wrap at spaces;
 * a word that is longer than its column is cut, with an ellipsis at its end. Rich, which Keras uses for its summaries, draws
 * tables this way.
 */
import { roundHalfEven } from '../../core/integers.ts';

export interface Column {
  readonly header: string;
  readonly justify: 'left' | 'right' | 'center';
  /** Preferred width of the content. Columns shrink equally if the table is narrower than their sum. */
  readonly width: number;
}

/** Draws the table as lines of `width` characters. */
export function drawTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const widths = fitColumns(
    columns.map((column) => column.width + 2),
    width - columns.length - 1,
  );
  const rule = (left: string, line: string, cross: string, right: string) =>
    left + widths.map((n) => line.repeat(n)).join(cross) + right;
  const row = (cells: readonly string[], bar: string) => {
    const wrapped = cells.map((cell, i) =>
      wrapCell(cell, (widths[i] as number) - 2).map((line) =>
        justify(line, (widths[i] as number) - 2, columns[i]?.justify),
      ),
    );
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const parts = wrapped.map((lines, i) => lines[line] ?? ' '.repeat((widths[i] as number) - 2));
      return `${bar} ${parts.join(` ${bar} `)} ${bar}`;
    });
  };
  const body = rows.flatMap((cells, i) => [...(i > 0 ? [rule('├', '─', '┼', '┤')] : []), ...row(cells, '│')]);
  return [
    rule('┏', '━', '┳', '┓'),
    ...row(
      columns.map(({ header }) => header),
      '┃',
    ),
    rule('┡', '━', '╇', '┩'),
    ...body,
    rule('└', '─', '┴', '┘'),
  ];
}

/** Shrinks all columns equally to the available width. */
function fitColumns(widths: readonly number[], available: number): number[] {
  let excess = widths.reduce((total, n) => total + n, 0) - available;
  return widths.map((width, i) => {
    const share = Math.min(width, roundHalfEven(excess / (widths.length - i)));
    excess -= share;
    return width - share;
  });
}

/** Breaks before a word that doesn't fit in the rest of a line. A word longer than a line gets its own line. */
function wrapCell(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const [word] of text.matchAll(/\s*\S+\s*/g)) {
    const line = lines.at(-1) as string;
    if (line === '' || lengthOf(line) + lengthOf(word.trimEnd()) <= width)
      lines[lines.length - 1] = line + word;
    else lines.push(word);
  }
  return lines.map((line) => truncate(line.trimEnd(), width));
}

function truncate(line: string, width: number): string {
  return lengthOf(line) <= width ? line : `${[...line].slice(0, Math.max(width - 1, 0)).join('')}…`;
}

function justify(line: string, width: number, how: Column['justify'] = 'left'): string {
  const space = width - lengthOf(line);
  if (how === 'left') return line + ' '.repeat(space);
  if (how === 'right') return ' '.repeat(space) + line;
  const left = Math.floor(space / 2);
  return ' '.repeat(left) + line + ' '.repeat(space - left);
}

function lengthOf(text: string): number {
  return [...text].length;
}
