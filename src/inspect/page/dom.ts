/** @file Elements for the page of a report. No markup is parsed and no style attribute set, so any policy allows it. */

type Child = Node | string | null | undefined | false;

/** Attributes; a function is a listener (`onclick`), `text` the content. */
export type Attributes = Readonly<
  Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>
>;

/** Creates an HTML element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Creates a table: headers, then rows of cells. Numbers are right-aligned. */
export function table(
  caption: string,
  heads: readonly { readonly text: string; readonly isNumber?: boolean }[],
  rows: readonly (readonly Child[])[],
): HTMLElement {
  const kind = (i: number) => (heads[i]?.isNumber ? 'number' : null);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', { class: 'hidden' }, caption),
      h(
        'thead',
        {},
        h('tr', {}, ...heads.map(({ text }, i) => h('th', { scope: 'col', class: kind(i) }, text))),
      ),
      h(
        'tbody',
        {},
        ...rows.map((row) =>
          h(
            'tr',
            {},
            ...row.map((cell, i) =>
              h(i === 0 ? 'th' : 'td', { class: kind(i), scope: i === 0 ? 'row' : null }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}
