/** @file What all charts share: shown in an element of a page, where they follow its width, or written as SVG. */
import { describe } from '../core/describe.ts';
import { DeviceError, ValueError } from '../core/errors.ts';
import { elementOf, type Markup, svgText } from './markup.ts';

/** The width in pixels of a chart that isn't in a page. */
const fileWidth = 640;

/** Draws at a width in pixels, for a page or for a file. */
export type Drawing = (width: number, place: 'page' | 'file') => Markup;

/** A chart of data of type `D`. */
export class Chart<D> {
  readonly #op: string;
  readonly #read: (data: D) => Drawing;
  #draw: Drawing;
  #shown: {
    readonly root: Element;
    readonly observer: ResizeObserver;
    picture: Element;
    width: number;
  } | null = null;

  /** @internal `read` checks data, and returns how they are drawn at a width in pixels. */
  constructor(op: string, data: D, read: (data: D) => Drawing) {
    this.#op = op;
    this.#read = read;
    this.#draw = read(data);
  }

  /** The chart as the text of an SVG file, 640 units wide. It is dark where the reader's system is. */
  get svg(): string {
    return svgText(this.#draw(fileWidth, 'file'));
  }

  /**
   * Shows the chart in an element of a page, in place of its content. The chart is drawn again when the element's width changes.
   * Returns itself. Errors: DeviceError outside of a page; ValueError for anything but an element.
   */
  show(element: Element): this {
    const root = requireElement(this.#op, element);
    this.remove();
    const width = widthOf(root);
    const picture = this.#picture(root, width);
    root.replaceChildren(picture);
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(root);
    this.#shown = { root, observer, picture, width };
    return this;
  }

  /** Draws other data. Errors: as of the function that made the chart. */
  update(data: D): this {
    this.#draw = this.#read(data);
    this.#redraw();
    return this;
  }

  /** Takes the chart out of its page. */
  remove(): void {
    this.#shown?.observer.disconnect();
    this.#shown?.picture.remove();
    this.#shown = null;
  }

  /** The chart in a page. Its width doesn't keep its element, or the page, from getting narrower. */
  #picture(root: Element, width: number): Element {
    const picture = elementOf(root.ownerDocument, this.#draw(width, 'page'));
    (picture as SVGElement).style.maxWidth = '100%';
    return picture;
  }

  #resize(): void {
    const shown = this.#shown;
    if (shown && widthOf(shown.root) !== shown.width) this.#redraw();
  }

  #redraw(): void {
    const shown = this.#shown;
    if (!shown) return;
    // The page has replaced the content of the element.
    if (shown.picture.parentNode !== shown.root) {
      this.remove();
      return;
    }
    shown.width = widthOf(shown.root);
    const drawn = this.#picture(shown.root, shown.width);
    shown.picture.replaceWith(drawn);
    shown.picture = drawn;
  }
}

/** The width inside of an element; of one that isn't laid out yet, that of a file. */
function widthOf(root: Element): number {
  const style = getComputedStyle(root);
  const inside =
    root.clientWidth -
    Number.parseFloat(style.paddingLeft || '0') -
    Number.parseFloat(style.paddingRight || '0');
  return inside > 0 ? Math.floor(inside) : fileWidth;
}

/** Returns an element. Errors: DeviceError outside of a page; ValueError for anything else. */
export function requireElement(op: string, element: unknown): Element {
  if (typeof document === 'undefined') {
    throw new DeviceError({
      op,
      rule: 'it is shown in an element of a page.',
      received: 'a call where there is no document',
      hint: 'write its text to a file instead.',
    });
  }
  // Elements of other windows count, too.
  if ((element as Element | null | undefined)?.nodeType === 1) return element as Element;
  throw new ValueError({
    op,
    rule: 'it is shown in an element of a page.',
    received: describe(element),
    hint: "pass document.querySelector('#chart'), once the page has it.",
  });
}
