/**
 * @file The colours of charts, each for a light and a dark ground. In a page they are custom properties with a default, so that
 * a style sheet can replace them: `--retrograd-show-ink`, `--retrograd-show-line0`.
 */

export interface Colour {
  readonly name: string;
  readonly light: string;
  readonly dark: string;
}

const colour = (name: string, light: string, dark: string): Colour => ({ name, light, dark });

export const ink = /* @__PURE__ */ colour('ink', '#1c1917', '#e7e5e4');
export const soft = /* @__PURE__ */ colour('soft', '#57534e', '#a8a29e');
export const grid = /* @__PURE__ */ colour('grid', '#e7e5e4', '#3a3836');
export const paper = /* @__PURE__ */ colour('paper', '#ffffff', '#1c1917');

/**
 * The colours of lines, in their order. Neighbours differ in lightness, too, for readers who don't tell red from green. All
 * have a contrast of 3:1 or more with the ground.
 */
const lines: readonly Colour[] = /* @__PURE__ */ [
  ['#c2410c', '#fb923c'],
  ['#1d4ed8', '#7aa2ff'],
  ['#0f766e', '#5eead4'],
  ['#7e22ce', '#d8b4fe'],
  ['#a16207', '#facc15'],
  ['#be185d', '#f9a8d4'],
].map(([light, dark], i) => colour(`line${i}`, light as string, dark as string));

/** The colour of the line at `index`; after the last one they begin again. */
export function lineColour(index: number): Colour {
  return lines[index % lines.length] as Colour;
}
