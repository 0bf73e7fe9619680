// @ts-check
/** @file The guide and the other documents: the repository's Markdown as pages of the site. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, SetupError } from '../setup.mjs';
import { pageHtml } from './layout.mjs';
import { renderMarkdown } from './markdown.mjs';
import { playgroundLink } from './playground-link.mjs';
import { escapeHtml } from './types.mjs';

/** The pages of docs/guide in their order, by part. @type {readonly { part: string, pages: readonly string[] }[]} */
const contents = [
  { part: 'First steps', pages: ['start', 'from-keras', 'from-tfjs', 'from-pytorch-and-jax'] },
  {
    part: 'Tutorials',
    pages: [
      ...['tutorial-table', 'tutorial-digits', 'tutorial-webcam'],
      ...['tutorial-gan', 'tagging', 'tutorial-drawing'],
    ],
  },
  {
    part: 'Ideas',
    pages: ['memory', 'tape', 'transforms', 'gather-and-history', 'custom-layers', 'capture', 'kernels'],
  },
  {
    part: 'Tasks',
    pages: [
      'recipes',
      'training',
      'charts',
      'data',
      'fine-tuning',
      'pretrained',
      'apps',
      'files',
      'performance',
      'debugging',
      'workers',
      'limits',
    ],
  },
];

/** Pages of the guide whose code needs a page or files of the reader's, so that the playground can't run it. */
const NOT_IN_PLAYGROUND = [
  'apps',
  'files',
  'pretrained',
  'tagging',
  'training',
  'tutorial-table',
  'tutorial-digits',
  'tutorial-drawing',
  'tutorial-webcam',
];

/** Documents for users next to the guide, by their pages. @type {Record<string, string>} */
const IN_DEPTH = {
  'docs/inspector.md': 'inspector.html',
  'docs/names.md': 'names.html',
  'docs/keras.md': 'keras.html',
  'docs/engines.md': 'engines.html',
  'docs/reliability.md': 'reliability.html',
};

/** Documents with tables of the names of other libraries. */
const OTHER_LIBRARIES = [
  'docs/guide/from-keras.md',
  'docs/guide/from-tfjs.md',
  'docs/guide/from-pytorch-and-jax.md',
  'docs/names.md',
  'docs/keras.md',
];

/** All documents outside of the guide. @type {Record<string, string>} */
const OTHERS = {
  ...IN_DEPTH,
  'CHANGELOG.md': 'changelog.html',
  'docs/architecture.md': 'architecture.html',
  'CONTRIBUTING.md': 'contributing.html',
  'docs/mutation.md': 'mutation.html',
  'docs/coverage.md': 'coverage.html',
  'SECURITY.md': 'security.html',
  LICENSE: 'license.html',
  'bench/results/kernels-nvidia-h100.md': 'figures/kernels-nvidia-h100.html',
};

/** Of these, what visitors search for, by its title and first sentence. */
const SEARCHED = [
  'changelog.html',
  'security.html',
  'license.html',
  'contributing.html',
  'architecture.html',
];

/**
 * @typedef {{ file: string, page: string, text: string, title: string }} Document `file` in the repository, `page` on the site
 */

/** @returns {Document[]} */
function documents() {
  requireAllListed();
  const decisions = fs
    .readdirSync(path.join(ROOT, 'docs', 'decisions'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replaceAll(path.sep, '/'));
  const pages = [
    ...contents.flatMap((part) => part.pages).map((name) => [`docs/guide/${name}.md`, `guide/${name}.html`]),
    ...decisions.map((file) => [
      `docs/decisions/${file}`,
      `decisions/${file === 'README.md' ? 'index' : file.replace(/\.md$/, '')}.html`,
    ]),
    ...Object.entries(OTHERS),
  ];
  return pages.map(([file = '', page = '']) => {
    const text = markdownOf(file);
    return { file, page, text, title: (/^# (.+)$/m.exec(text)?.[1] ?? page).replaceAll('`', '') };
  });
}

/** Returns the text of a document. The license has no heading of its own. @param {string} file */
function markdownOf(file) {
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(ROOT, name), 'utf8');
  if (file !== 'LICENSE') return read(file);
  return `# License\n\n${read(file)}\n#${read('THIRD_PARTY_NOTICES.md')}`;
}

/** Errors: SetupError for a page of docs/guide that no part of the guide has. */
function requireAllListed() {
  const listed = new Set(contents.flatMap(({ pages }) => pages));
  const files = fs.readdirSync(path.join(ROOT, 'docs', 'guide')).map((file) => path.parse(file).name);
  const missing = files.filter((name) => !listed.has(name));
  if (missing.length > 0)
    throw new SetupError(`Every page of docs/guide is in \`contents\`. Missing: ${missing.join(', ')}.`);
}

/** Returns the program of a page's `ts` blocks. @param {string} text */
const programIn = (text) =>
  [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n');

/**
 * Writes the pages, and returns their search entries.
 *
 * @param {string} site
 * @param {{ symbol: (code: string) => string | undefined }} reference
 * @returns {import('./build.mjs').SearchEntry[]}
 */
export function buildGuide(site, reference) {
  const all = documents();
  fs.cpSync(path.join(ROOT, 'docs', 'images'), path.join(site, 'images'), { recursive: true });
  return all.flatMap((document, i) => {
    const root = '../'.repeat(document.page.split('/').length - 1) || './';
    const isGuide = document.page.startsWith('guide/');
    const isProgram = isGuide && !NOT_IN_PLAYGROUND.includes(path.parse(document.page).name);
    const isDictionary = OTHER_LIBRARIES.includes(document.file);
    const { html, headings, rows } = renderMarkdown(document.text, {
      link: (href) => siteLink(href, document, all, root),
      ...(isDictionary
        ? { symbolInTables: (code) => reference.symbol(code)?.replace('./', `${root}reference/`) }
        : {}),
      ...(isProgram ? { run: playgroundLink(programIn(document.text), root) } : {}),
    });
    const sections = headings.filter(({ depth }) => depth === 2);
    const next = isGuide ? all[i + 1] : undefined;
    const onward = next?.page.startsWith('guide/')
      ? `<p class="next"><a href="${root}${next.page}">Next: ${escapeHtml(next.title)}</a></p>`
      : '';
    const description = firstSentence(document.text);
    writePage(path.join(site, document.page), {
      title: document.title,
      description,
      root,
      section: 'Guide',
      main: `<article class="prose">${html}</article>${onward}`,
      sidebar: sidebarHtml(all, document.page, root),
      onPage: contentsHtml(sections),
    });
    const names = isDictionary ? rows.flatMap((row) => namesOf(row, document)) : [];
    const { page, title } = document;
    // Records and results are for those who work on the library.
    if (!isGuide && !SEARCHED.includes(page) && !(document.file in IN_DEPTH)) return [];
    if (SEARCHED.includes(page)) return [{ title, kind: 'document', page, words: description }];
    const [top = '', ...parts] = document.text.split(/^## .*$/m);
    const within = sections.map(({ text, anchor }, i) => ({
      title: text,
      kind: title,
      page: `${page}#${anchor}`,
      words: '',
      // Rows of a table of names are entries of their own.
      text: document.file === 'docs/names.md' ? '' : searchedText(parts[i] ?? ''),
      keys: keysOf(parts[i] ?? ''),
    }));
    return [
      {
        title,
        kind: isGuide ? 'guide' : 'document',
        page,
        words: description,
        text: searchedText(top),
        keys: keysOf(top),
      },
      ...within,
      ...names,
    ];
  });
}

/**
 * Returns the text of a part of a document for the search index: each word once.
 *
 * @param {string} markdown
 */
export function searchedText(markdown) {
  const text = markdown.replaceAll(/\]\([^)]*\)/g, ' ').replaceAll(KEYS, ' ');
  return [...new Set(text.match(/[\p{L}\p{N}_]{2,}/gu))].join(' ');
}

const KEYS = /<!-- search: (.*?) -->/g;

/** Returns the words of the comments `<!-- search: … -->`, which readers may search for. @param {string} markdown */
const keysOf = (markdown) => [...markdown.matchAll(KEYS)].map(([, words]) => words).join(' ');

/**
 * Returns the names in another library and their counterparts here, from the rows of a table whose first column has those names.
 *
 * @param {{ cells: string[], anchor: string }} row
 * @param {Document} document
 * @returns {import('./build.mjs').SearchEntry[]}
 */
function namesOf({ cells: [names = '', ...rest], anchor }, { title, page }) {
  const found = [...names.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\(.*$/, ''));
  const words = rest.join(' ').replaceAll('`', '').replaceAll('\\|', '|');
  return found.map((name) => ({
    title: name.replace(/^@/, ''),
    kind: `name in ${title}`,
    page: anchor === '' ? page : `${page}#${anchor}`,
    words: `→ ${words}`,
  }));
}

/** @param {string} file @param {import('./layout.mjs').PageParts} parts */
function writePage(file, parts) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, pageHtml(parts));
}

/** @param {{ text: string, anchor: string }[]} sections */
function contentsHtml(sections) {
  if (sections.length < 2) return '';
  const items = sections.map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return `<p>On this page</p><ul>${items.join('')}</ul>`;
}

/** Returns the pages of the guide as a list. @param {string} here the current page @param {string} root */
export const guideSidebar = (here, root) => sidebarHtml(documents(), here, root);

/** @param {Document[]} all @param {string} here @param {string} root */
function sidebarHtml(all, here, root) {
  /** @param {{ page: string, title: string }[]} documents */
  const list = (documents) =>
    `<ul>${documents.map(({ page, title }) => `<li><a href="${root}${page}"${page === here ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`).join('')}</ul>`;
  const parts = contents.map(({ part, pages }) => {
    const own = all.filter(({ page }) => pages.some((name) => page === `guide/${name}.html`));
    return `<p>${part}</p>${list(own)}`;
  });
  const inDepth = all.filter(({ file }) => file in IN_DEPTH);
  const project = all.filter(
    ({ file, page }) => page === 'decisions/index.html' || (!page.includes('/') && !(file in IN_DEPTH)),
  );
  const examples = list([{ page: 'examples.html', title: 'All examples' }]);
  return [
    ...parts,
    `<p>Examples</p>${examples}`,
    `<p>In depth</p>${list(inDepth)}`,
    `<p>The project</p>${list(project)}`,
  ].join('\n');
}

/**
 * Returns where a link leads on the site; an empty string where it names a file that only the repository has. Errors:
 * SetupError for a document that has no page.
 *
 * @param {string} href
 * @param {Document} from
 * @param {Document[]} all
 * @param {string} root
 */
function siteLink(href, from, all, root) {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const file = path.posix.join(path.posix.dirname(from.file), target);
  if (file.startsWith('docs/images/')) return root + file.slice('docs/'.length);
  if (file.startsWith('website/pictures/')) return root + file.slice('website/'.length);
  const port = /^examples\/ports\/(\w+)\.ts$/.exec(file)?.[1];
  if (port) return `${root}ports/${port}.html`;
  if (file.startsWith('examples/programs/')) return `${root}examples.html#${path.parse(file).name}`;
  if (file === 'docs/ops.md') return `${root}reference/all-ops.html`;
  const page = all.find((one) => one.file === file)?.page;
  if (!page && /^docs\/.*\.md$/.test(file))
    throw new SetupError(`A document that others link to has a page. Missing: ${file}, in ${from.file}.`);
  return page ? `${root}${page}${anchor ? `#${anchor}` : ''}` : '';
}

/** Returns the first sentence of prose, as plain text. @param {string} text */
function firstSentence(text) {
  const paragraph = (
    text.split(/\n\s*\n/).find((part) => part !== '' && !/^(?:#|<!--|\||```)/.test(part)) ?? ''
  )
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '');
  return /^.*?[.:](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
}
