/** @file A matrix of coloured cells, with names of its rows and columns. */
import { shortened } from './barChart.ts';
import { type Colour, grid, ink, paper } from './colour.ts';
import { type Markup, markup } from './markup.ts';
import { label, picture, rounded, textWidth } from './picture.ts';

export interface Cell {
  readonly colour: Colour;
  /** From 0, which leaves the cell empty, to 1. */
  readonly strength: number;
  /** Shown if the texts of all cells fit. */
  readonly text: string;
}

export interface Matrix {
  /** Of the picture, in pixels. */
  readonly width: number;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** What stands above the names of the rows, and of the columns. */
  readonly rowWord: string;
  readonly columnWord: string;
  readonly cells: readonly (readonly Cell[])[];
}

const largestCell = 64;
/** From this strength on, the text is as light as the ground. */
const strong = 0.6;

export function drawMatrix(matrix: Matrix): Markup {
  const { width, title, description, rows, columns, rowWord, columnWord, cells } = matrix;
  const widest = (texts: readonly string[]) =>
    texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
  // Names may be shorter than the word above them.
  const left = Math.min(width / 4, Math.max(14 + textWidth(rowWord), 26 + widest(rows)));
  const top = 40;
  const cell = Math.max(2, Math.min(largestCell, (width - left - 4) / Math.max(1, columns.length)));
  const size = rounded(Math.max(1, cell - 1.5));
  const corner = Math.min(3, cell / 8);
  const isTextual = cells.every((row) => row.every(({ text }) => cell >= 8 + textWidth(text)));
  const middle = { 'text-anchor': 'middle', fill: ink };
  return picture(
    { width, height: Math.ceil(top + cell * rows.length + 6), title, description },
    label(left, 12, columnWord),
    label(0, 12, rowWord),
    ...(cell >= 14
      ? [
          ...columns.map((name, j) =>
            label(left + cell * (j + 0.5), top - 8, shortened(name, cell - 2), middle),
          ),
          ...rows.map((name, i) =>
            label(left - 8, top + cell * (i + 0.5) + 4, shortened(name, left - 10), {
              'text-anchor': 'end',
              fill: ink,
            }),
          ),
        ]
      : []),
    ...cells.flatMap((row, i) =>
      row.flatMap(({ colour, strength, text }, j) => {
        const [x, y] = [rounded(left + cell * j), rounded(top + cell * i)];
        const place = { x, y, width: size, height: size, rx: corner };
        return [
          markup('rect', { ...place, fill: grid, opacity: 0.5 }),
          ...(strength > 0
            ? [
                markup('rect', {
                  class: 'cell',
                  ...place,
                  fill: colour,
                  opacity: Math.round(1000 * strength) / 1000,
                }),
              ]
            : []),
          ...(isTextual
            ? [
                label(x + size / 2, y + size / 2 + 4, text, {
                  ...middle,
                  fill: strength > strong ? paper : ink,
                }),
              ]
            : []),
        ];
      }),
    ),
  );
}
