// @ts-check
/** @file The frame that all pages of the site share: the tags of their heads, the header with its search, the footer. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup.mjs';
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

/** Where the header goes in a page of its own. */
const PLACE = '<!-- navigation -->';

/** The picture that others show of a link to the site: width, height in pixels. */
const PREVIEW = { file: 'preview.png', width: 1200, height: 630 };

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

/** @typedef {{ version: string, repository: string, npm: string, homepage: string }} Project addresses are '' until they are known */

/** What the pages say of the package: from package.json, whose owner fills in the addresses. @returns {Project} */
export function project() {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const { name, version, repository, homepage = '' } = manifest;
  return {
    version,
    homepage: homepage === '' ? '' : homepage.replace(/\/*$/, '/'),
    repository: addressOf(typeof repository === 'string' ? repository : (repository?.url ?? '')),
    // Before it has a repository, the package isn't published.
    npm: repository ? `https://www.npmjs.com/package/${name}` : '',
  };
}

/**
 * Returns the page of a repository, from the forms that npm takes: `github:owner/name`, `owner/name`, `git+https://….git`,
 * `git@host:owner/name.git`.
 *
 * @param {string} repository
 */
export function addressOf(repository) {
  const plain = repository.replace(/^git\+/, '').replace(/\.git$/, '');
  const [, host, place] = /^(github|gitlab|bitbucket):(.+)$/.exec(plain) ?? [];
  if (place) return `https://${host}.${host === 'bitbucket' ? 'org' : 'com'}/${place}`;
  if (/^[\w-]+\/[\w.-]+$/.test(plain)) return `https://github.com/${plain}`;
  return plain.replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, 'https://$1/').replace(/^git:/, 'https:');
}

/** The tags of a page's head, besides its title and description. @param {string} root @param {{ title: string, description: string }} words */
export function headTags(root, { title, description }) {
  const { homepage } = project();
  const preview = `${homepage || root}${PREVIEW.file}`;
  return [
    `<link rel="icon" href="${root}favicon.svg" type="image/svg+xml" />`,
    `<script src="${root}assets/theme.js"></script>`,
    `<link rel="stylesheet" href="${root}assets/frame.css" />`,
    `<script type="module" src="${root}assets/frame.js"></script>`,
    '<meta property="og:type" content="website" />',
    '<meta property="og:site_name" content="Retrograd" />',
    `<meta property="og:title" content="${title}" />`,
    `<meta property="og:description" content="${description}" />`,
    `<meta property="og:image" content="${preview}" />`,
    `<meta property="og:image:width" content="${PREVIEW.width}" />`,
    `<meta property="og:image:height" content="${PREVIEW.height}" />`,
    '<meta name="twitter:card" content="summary_large_image" />',
  ].join('\n    ');
}

/** @param {string} root @param {string} current */
export function header(root, current) {
  const { version, repository } = project();
  const links = sections.map(({ name, href }) => {
    const here = name === current ? ' aria-current="true"' : '';
    return `<a href="${root}${href}"${here}>${name}</a>`;
  });
  const source = repository
    ? `<a class="icon" href="${escapeHtml(repository)}" aria-label="Repository">${SOURCE_ICON}</a>`
    : '';
  return `<header class="site-header">
      <nav class="site-nav" aria-label="Site">
        <a class="brand" href="${root}index.html">Retrograd</a>
        <a class="version" href="${root}changelog.html" aria-label="Version ${version}: what has changed">${version}</a>
        <span class="sections">${links.join(' ')}</span>
      </nav>
      <search class="site-search">
        <input type="search" id="search" placeholder="Search" aria-label="Search the guide and the reference" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" />
        <ul id="found" role="listbox" aria-label="Found" hidden></ul>
      </search>
      <span class="tools">${source}<button type="button" class="icon theme" aria-label="Dark colours" aria-pressed="false" title="Light or dark">${THEME_ICON}</button></span>
    </header>`;
}

/** @param {string} root */
export function footer(root) {
  const { version, repository, npm } = project();
  const links = [
    `<a href="${root}license.html">MIT license</a>`,
    `<a href="${root}changelog.html">Changelog</a>`,
    `<a href="${root}decisions/index.html">Decisions</a>`,
    ...(repository ? [`<a href="${escapeHtml(repository)}">Repository</a>`] : []),
    ...(npm ? [`<a href="${escapeHtml(npm)}">npm</a>`] : []),
  ];
  return `<footer class="site-footer"><p>Retrograd ${version} · ${links.join(' · ')}</p><p>Nothing on these pages is sent anywhere.</p></footer>`;
}

const THEME_ICON =
  '<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="7.2" fill="none" stroke="currentColor" stroke-width="1.6" /><path d="M10 2.8a7.2 7.2 0 0 1 0 14.4z" fill="currentColor" /></svg>';
const SOURCE_ICON =
  '<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d="m7 5-5 5 5 5m6-10 5 5-5 5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" /></svg>';

/**
 * Puts a page of its own into the frame: one with a title, a description, an empty icon, and a comment where the header goes. Served
 * by itself, such a page has no site around it.
 *
 * @param {string} html
 * @param {string} root
 * @param {string} [section]
 */
export function framed(html, root, section = '') {
  if (!html.includes(PLACE)) return html;
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? 'Retrograd';
  const description = /<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? '';
  return html
    .replace('<link rel="icon" href="data:," />', headTags(root, { title, description }))
    .replace(PLACE, header(root, section))
    .replace('</body>', `  ${footer(root)}\n  </body>`);
}

/** @param {PageParts} parts */
export function pageHtml({ title, description, root, section, main, sidebar = '', onPage = '' }) {
  const words = { title: `${escapeHtml(title)} — Retrograd`, description: escapeHtml(description) };
  return `<!doctype html>
<html lang="en">
  <head>
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${words.description}" />
    ${headTags(root, words)}
    <link rel="stylesheet" href="${root}assets/site.css" />
    <title>${words.title}</title>
  </head>
  <body>
    <a class="skip" href="#main">Skip to content</a>
    ${header(root, section)}
    <div class="page${sidebar ? ' has-sidebar' : ''}${onPage ? ' has-contents' : ''}">
${sidebar ? `<div class="pages" tabindex="0"><details><summary>${escapeHtml(section)}: all pages</summary><nav aria-label="${escapeHtml(section)}">${sidebar}</nav></details></div>` : ''}
<main id="main">
${main}
</main>
${onPage ? `<nav class="contents" aria-label="On this page">${onPage}</nav>` : ''}
    </div>
    ${footer(root)}
  </body>
</html>
`;
}
