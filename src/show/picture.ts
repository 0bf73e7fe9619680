/** @file The parts of charts: the picture with its description, texts, and a legend. */
import { type Colour, ink, soft } from './colour.ts';
import { type Attribute, type Markup, markup } from './markup.ts';

/** The widths of characters vary; this is the mean of a sans serif, in pixels at the size of charts. */
const characterWidth = 6.3;

export const textWidth = (text: string): number => characterWidth * text.length;

/** A picture of a size in pixels. Screen readers read its title, then its description. */
export function picture(
  {
    width,
    height,
    title,
    description,
  }: { width: number; height: number; title: string; description: string },
  ...parts: readonly Markup[]
): Markup {
  return markup(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'font-family': 'system-ui, sans-serif',
      'font-size': 11.5,
      fill: ink,
    },
    markup('title', {}, title),
    markup('desc', {}, description),
    ...parts,
  );
}

export function label(
  x: number,
  y: number,
  text: string,
  attributes: Readonly<Record<string, Attribute>> = {},
): Markup {
  return markup('text', { x: rounded(x), y: rounded(y), fill: soft, ...attributes }, text);
}

export interface LegendEntry {
  readonly name: string;
  readonly note: string;
  readonly colour: Colour;
  readonly isDashed: boolean;
}

const lineHeight = 18;

/** The entries in as many lines as they need, and the height of these. */
export function legend(entries: readonly LegendEntry[], width: number): { parts: Markup[]; height: number } {
  const parts: Markup[] = [];
  let [x, y] = [0, 12];
  for (const { name, note, colour, isDashed } of entries) {
    const text = note ? `${name} ${note}` : name;
    const room = 24 + textWidth(text);
    if (x > 0 && x + room > width) [x, y] = [0, y + lineHeight];
    parts.push(
      markup('line', {
        x1: x,
        x2: x + 17,
        y1: y - 4,
        y2: y - 4,
        stroke: colour,
        'stroke-width': 3,
        'stroke-dasharray': isDashed ? '5 3' : null,
      }),
      markup(
        'text',
        { class: 'key', x: x + 23, y },
        markup('tspan', { 'font-weight': 600 }, name),
        ...(note ? [markup('tspan', { fill: soft }, ` ${note}`)] : []),
      ),
    );
    x += room + 18;
  }
  return { parts, height: entries.length > 0 ? y + 8 : 0 };
}

/** A coordinate, to a tenth of a pixel. */
export const rounded = (value: number): number => Math.round(value * 10) / 10;
