// @ts-check
/** @file The frame that all generated pages share: head with its Content-Security-Policy, navigation, search, footer. */
import { escapeHtml } from './types.mjs';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The sections of the site, in the order of the navigation. @type {readonly { name: string, href: string }[]} */
export const sections = [
  { name: 'Guide', href: 'guide/start.html' },
  { name: 'Reference', href: 'reference/index.html' },
  { name: 'Playground', href: 'playground/index.html' },
  { name: 'Notebook', href: 'notebook/index.html' },
  { name: 'Benchmark', href: 'bench/index.html' },
];

/**
 * @typedef {object} PageParts
 * @property {string} title
 * @property {string} description
 * @property {string} root relative path to the site's root, such as `../`
 * @property {string} section the name of the current one
 * @property {string} main HTML
 * @property {string} [sidebar] HTML of the navigation within the section
 * @property {string} [onPage] HTML of the list of headings
 */

/** @param {string} root @param {string} current */
export function navigation(root, current) {
  const links = sections.map(({ name, href }) => {
    const here = name === current ? ' aria-current="true"' : '';
    return `<a href="${root}${href}"${here}>${name}</a>`;
  });
  return `<nav class="site-nav" aria-label="Site">
      <a class="brand" href="${root}index.html">Retrograd</a>
      <span class="sections">${links.join(' ')}</span>
    </nav>`;
}

/** The field of website/search.ts, with its list of results. */
export const searchField = `<search class="site-search">
      <input type="search" id="search" placeholder="Search" aria-label="Search the guide and the reference" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" />
      <ul id="found" role="listbox" aria-label="Found" hidden></ul>
    </search>`;

/** @param {PageParts} parts */
export function pageHtml({ title, description, root, section, main, sidebar = '', onPage = '' }) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${escapeHtml(description)}" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${root}assets/site.css" />
    <script type="module" src="${root}assets/search.js"></script>
    <title>${escapeHtml(title)} — Retrograd</title>
  </head>
  <body data-root="${root}">
    <a class="skip" href="#main">Skip to content</a>
    <header class="site-header">
    ${navigation(root, section)}
    ${searchField}
    </header>
    <div class="page${sidebar ? ' has-sidebar' : ''}${onPage ? ' has-contents' : ''}">
${sidebar ? `<div class="pages" tabindex="0"><details><summary>${escapeHtml(section)}: all pages</summary><nav aria-label="${escapeHtml(section)}">${sidebar}</nav></details></div>` : ''}
<main id="main">
${main}
</main>
${onPage ? `<nav class="contents" aria-label="On this page">${onPage}</nav>` : ''}
    </div>
    <footer class="site-footer"><p>Retrograd, <a href="${root}license.html">MIT license</a>. Nothing on these pages is sent anywhere.</p></footer>
  </body>
</html>
`;
}
