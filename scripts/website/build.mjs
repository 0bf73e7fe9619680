// @ts-check
/** @file The generated part of the site: guide, reference, search index, style. The landing page and the examples are Vite's. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeStyle } from './frame.mjs';
import { presentEntries } from '../lib/entries.mjs';
import { publicExports, withDerivedDocs } from '../lib/exports.mjs';
import { opRows } from '../lib/op-table.mjs';
import { needsExample, programOf } from '../lib/reference-examples.mjs';
import { ROOT, SetupError } from '../setup.mjs';
import { aliasesOf, exportsOf, readTypes } from './api.mjs';
import { buildExamples } from './examples.mjs';
import { buildGuide, guideSidebar, searchedText } from './guide.mjs';
import { listPages } from './lists.mjs';
import { pageHtml } from './layout.mjs';
import { namesElsewhere, namesOfKeras } from './namesElsewhere.mjs';
import { playgroundLink } from './playground-link.mjs';
import { Reference } from './reference.mjs';
import { summaryOf } from './docstring.mjs';

const SITE = path.join(ROOT, 'site');

/**
 * @typedef {{ title: string, kind: string, page: string, words: string, text?: string, keys?: string }} SearchEntry `text` and
 * `keys` are searched and not shown; `keys` were chosen for the entry
 */

/** Builds the generated part. The library and its types must have been built. */
export async function buildWebsite() {
  const { reference, entries } = await buildReference();
  const search = [
    ...entries,
    ...buildGuide(SITE, reference),
    ...(await buildExamples(SITE, guideSidebar('examples.html', './'))),
  ];
  const assets = path.join(SITE, 'assets');
  fs.mkdirSync(assets, { recursive: true });
  writeStyle('site', ['content', 'code']);
  fs.writeFileSync(
    path.join(assets, 'search.json'),
    JSON.stringify(
      search.map((entry) => {
        const { title, kind, page, words, keys } = entry;
        const text = furtherWords(entry);
        return [...[title, kind, page, words], ...(keys ? [text, keys] : text ? [text] : [])];
      }),
    ),
  );
}

/** Returns the words of an entry's text that its other parts don't have, where they count more. @param {SearchEntry} entry */
function furtherWords({ title, words, text = '', keys = '' }) {
  const wordsIn = (/** @type {string} */ part) => part.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const known = new Set(wordsIn(`${title} ${words} ${keys}`));
  return text
    .split(' ')
    .filter((word) => !known.has(word.toLowerCase()))
    .join(' ');
}

/** @returns {Promise<{ reference: Reference, entries: SearchEntry[] }>} */
async function buildReference() {
  const project = readTypes(path.join(ROOT, 'out', 'reference', 'api.json'));
  const inSources = sourceExports();
  const aliases = aliasesOf(project);
  const all = exportsOf(project, (entry, name) => inSources.get(`${entry} ${name}`));
  requireComplete(inSources, all, aliases);
  const added = await additions();
  requireExamples(all, added);
  const reference = new Reference(all, aliases, added);
  const folder = path.join(SITE, 'reference');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const lists = listPages(reference);
  const sidebar = lists.map(({ file, title }) => ({ file, html: `<a href="./${file}">${title}</a>` }));
  /** @param {string} here */
  const sidebarFor = (here) =>
    `<ul>${sidebar.map(({ file, html }) => `<li>${file === here ? html.replace('<a', '<a aria-current="page"') : html}</li>`).join('')}</ul>`;
  const frame = { root: '../', section: 'Reference' };
  for (const { file, title, description, html } of lists) {
    const page = pageHtml({ ...frame, title, description, main: html, sidebar: sidebarFor(file) });
    fs.writeFileSync(path.join(folder, file), page);
  }
  for (const [page, [first]] of reference.pages) {
    if (!first) continue;
    const list = lists.find(({ pages }) => pages.includes(page));
    const back = list ? `<p class="back"><a href="./${list.file}">${list.title}</a></p>` : '';
    const html = pageHtml({
      ...frame,
      title: first.name,
      description: summaryOf(first.doc),
      main: back + reference.render(page),
      sidebar: sidebarFor(list?.file ?? ''),
    });
    fs.writeFileSync(path.join(folder, page), html);
  }
  const listed = lists.map(({ title, file }) => ({
    title,
    kind: 'list',
    page: `reference/${file}`,
    words: '',
  }));
  const found = [...reference.pages].flatMap(([page, all]) => {
    const [first] = all;
    return first
      ? [
          {
            title: first.name,
            kind: first.entry,
            page: `reference/${page}`,
            words: summaryOf(first.doc),
            // Options are found by the functions that take them.
            text: first.name.endsWith('Options')
              ? ''
              : searchedText(`${all.map(({ doc }) => doc).join(' ')} ${reference.searchedOptions(page)}`),
          },
        ]
      : [];
  });
  return {
    reference,
    entries: [...listed, ...found, ...reference.members, ...otherNames(reference, aliases)],
  };
}

/**
 * Names under which an export is found besides its own, such as `ops.arange`.
 *
 * @param {Reference} reference
 * @param {{ name: string, target: number }[]} aliases
 * @returns {SearchEntry[]}
 */
function otherNames(reference, aliases) {
  return aliases.flatMap(({ name, target }) => {
    const [entry = '', alias = ''] = name.split(' ');
    const one = reference.exportOf(target);
    if (!one || alias.split('.').at(-1) === one.name.split('.').at(-1)) return [];
    const words = `${one.name}: ${summaryOf(one.doc)}`;
    return [{ title: alias, kind: `another name in ${entry}`, page: `reference/${one.page}`, words }];
  });
}

/** Returns the docstring of every export, written or derived, by entry and name. */
function sourceExports() {
  return new Map(
    Object.entries(presentEntries(ROOT)).flatMap(([entry, source]) => {
      const [shown, prefix] = entry === 'keras/layers' ? ['keras', 'layers.'] : [entry, ''];
      const from = shown === 'index' ? 'retrograd' : `retrograd/${shown}`;
      return withDerivedDocs(publicExports(path.join(ROOT, source))).map(({ name, doc }) => [
        `${from} ${prefix}${name}`,
        doc,
      ]);
    }),
  );
}

/**
 * Throws unless every export in the sources has a docstring and a page.
 *
 * @param {Map<string, string>} inSources
 * @param {import('./api.mjs').Export[]} all
 * @param {{ name: string }[]} aliases
 */
function requireComplete(inSources, all, aliases) {
  const known = new Set(aliases.map(({ name }) => name));
  for (const { entry, name, doc } of all) if (doc.trim() !== '') known.add(`${entry} ${name}`);
  const missing = [...inSources.keys()].filter((name) => !known.has(name));
  if (missing.length > 0)
    throw new SetupError(
      `Every public export needs a docstring, and a page in the reference. Missing: ${missing.join(', ')}.`,
    );
}

/**
 * Throws unless every op, layer, loss, metric, optimizer and callback has an example.
 *
 * @param {import('./api.mjs').Export[]} all
 * @param {import('./reference.mjs').Additions} added
 */
function requireExamples(all, { ops, examples }) {
  const missing = all.filter(
    ({ entry, name, kind }) =>
      (kind === 'function' || kind === 'constant') &&
      needsExample(entry, name, name in ops) &&
      !(name in examples),
  );
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  throw new SetupError(
    `Every op, layer, loss, metric, optimizer and callback needs an example in docs/examples. Missing: ${names}.`,
  );
}

/** Examples, and facts about the ops. @returns {Promise<import('./reference.mjs').Additions>} */
async function additions() {
  const ops = await import(pathToFileURL(path.join(ROOT, 'dist', 'index.js')).href);
  const rows = opRows(ROOT, ops);
  const facts = readJson('docs/op-facts.json');
  const known = rows.map(({ name, inputs, options, group, gradient }) => {
    const {
      dtypes = [],
      kernels = [],
      gradient: kind = gradient ? 'yes' : 'none',
      second = 'none',
    } = facts[name] ?? {};
    return [name, { inputs, options, group, gradient: kind, second, kernels, dtypes }];
  });
  const exported = new Set(Object.keys(ops));
  const link = (/** @type {string} */ code) => playgroundLink(programOf(code, exported), '../');
  return {
    ops: Object.fromEntries(known),
    examples: readJson('docs/reference-examples.json'),
    keras: namesOfKeras(readJson('test/fixtures/keras/names.json')),
    others: namesElsewhere(fs.readFileSync(path.join(ROOT, 'docs', 'names.md'), 'utf8')),
    link,
  };
}

/** @param {string} file */
const readJson = (file) => {
  const full = path.join(ROOT, file);
  return fs.existsSync(full) ? JSON.parse(fs.readFileSync(full, 'utf8')) : {};
};
