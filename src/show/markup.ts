/**
 * @file A picture as a tree of elements, which becomes elements of a page or text. No text is parsed, and no style attribute
 * is set in a page, so that any Content-Security-Policy allows it.
 */
import type { Pixels } from '../tensor/pixels.ts';
import type { Colour } from './colour.ts';

export type Attribute = string | number | Colour | null;

export interface Markup {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly children: readonly (Markup | string)[];
  /** The content of a canvas. */
  readonly pixels?: Pixels;
  /** Its style in a page. */
  readonly style?: Readonly<Record<string, string>>;
}

export function markup(
  tag: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Markup | string)[]
): Markup {
  return { tag, attributes, children };
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Returns the elements in a document. An `svg` and what is inside of it are of SVG, others of HTML. */
export function elementOf(document: Document, node: Markup, inSvg = false): Element {
  const { tag, attributes, children, pixels, style } = node;
  const isSvg = inSvg || tag === 'svg';
  const made = isSvg ? document.createElementNS(svgNamespace, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null) made.setAttribute(name, inPage(value));
  made.append(
    ...children.map((child) => (typeof child === 'string' ? child : elementOf(document, child, isSvg))),
  );
  // Set by script, which a policy allows where it forbids style attributes.
  for (const [name, value] of Object.entries(style ?? {}))
    (made as HTMLElement).style.setProperty(name, value);
  if (pixels) drawPixels(made as HTMLCanvasElement, pixels);
  return made;
}

function drawPixels(canvas: HTMLCanvasElement, { width, height, data }: Pixels): void {
  Object.assign(canvas, { width, height });
  canvas.getContext('2d')?.putImageData(new ImageData(Uint8ClampedArray.from(data), width, height), 0, 0);
}

/** A colour follows the `color-scheme` of the page. */
function inPage(value: string | number | Colour): string {
  if (typeof value !== 'object') return String(value);
  return `var(--retrograd-show-${value.name}, light-dark(${value.light}, ${value.dark}))`;
}

/**
 * Returns an SVG as the text of a file. Its colours are those for a light ground; a style sheet inside has those for readers
 * whose system is dark. Where style sheets aren't allowed, it stays light.
 */
export function svgText(root: Markup): string {
  const colours = new Map<string, Colour>();
  const body = textOf(root, colours);
  const dark = [...colours].map(
    ([attributeAndName, { dark: value }]) =>
      `.${attributeAndName}{${attributeAndName.slice(0, attributeAndName.indexOf('-'))}:${value}}`,
  );
  const style = `<style>@media (prefers-color-scheme:dark){${dark.join('')}}</style>`;
  return body.replace('<svg ', `<svg xmlns="${svgNamespace}" `).replace(/<\/svg>$/, `${style}</svg>`);
}

/** Returns HTML as text. */
export function htmlText(root: Markup): string {
  return textOf(root, new Map());
}

function textOf({ tag, attributes, children }: Markup, colours: Map<string, Colour>): string {
  const classes: string[] = [];
  let text = `<${tag}`;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) continue;
    if (name === 'class') classes.push(String(value));
    else if (typeof value !== 'object') text += ` ${name}="${escaped(String(value))}"`;
    else {
      const className = `${name}-${value.name}`;
      colours.set(className, value);
      classes.push(className);
      text += ` ${name}="${value.light}"`;
    }
  }
  if (classes.length > 0) text += ` class="${escaped(classes.join(' '))}"`;
  const inside = children.map((child) =>
    typeof child === 'string' ? escaped(child) : textOf(child, colours),
  );
  return `${text}>${inside.join('')}</${tag}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign] as string);
}
