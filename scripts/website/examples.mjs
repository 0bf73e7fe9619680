// @ts-check
/** @file The page of all examples: pages of the site, the playground's gallery, and the programs of examples/programs. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, temporaryFolder } from '../lib/bundle.mjs';
import { pages } from '../lib/pages.mjs';
import { fillImports } from './fillImports.mjs';
import { ROOT } from '../setup.mjs';
import { searchedText } from './guide.mjs';
import { pageHtml } from './layout.mjs';
import { playgroundLink } from './playground-link.mjs';
import { ports, writePorts } from './ports.mjs';
import { copyPictures, hasPicture, thumbnailHtml } from './thumbnails.mjs';
import { escapeHtml } from './types.mjs';

const PROGRAMS = path.join(ROOT, 'examples', 'programs');
/** Number of characters per line of an import in the playground. */
const WIDTH = 72;

/**
 * @typedef {{ name: string, title: string, words: string, href: string, text?: string, keys?: string }} Example `href` from the
 * site's root; `text` and `keys` as in a search entry
 */

/**
 * Writes examples.html, and returns its search entries.
 *
 * @param {string} site
 * @param {string} sidebar HTML of the guide's pages
 * @returns {Promise<import('./build.mjs').SearchEntry[]>}
 */
export async function buildExamples(site, sidebar) {
  // Their words and keys are what is searched: what they call is on other pages.
  const withKeras = ports();
  writePorts(site, withKeras);
  const parts = [
    { title: 'Pages', examples: sitePages() },
    ...byTopic(await galleryPrograms()),
    { title: 'Programs that people write first', examples: programs() },
    {
      title: 'Programs next to the same in Keras',
      examples: withKeras.map((port) => ({ ...port, text: '' })),
    },
  ];
  const description = 'Run these programs in your browser, and change them.';
  const lists = parts.map(({ title, examples }) =>
    examples.every(({ name }) => hasPicture(name))
      ? `<h2>${title}</h2><ul class="gallery">${examples.map((one) => thumbnailHtml(one, { id: one.name })).join('\n')}</ul>`
      : `<h2>${title}</h2><ul class="cards">${examples.map(cardHtml).join('\n')}</ul>`,
  );
  const html = pageHtml({
    title: 'Examples',
    description,
    root: './',
    section: 'Guide',
    main: `<h1>Examples</h1><p class="lead">${description}</p>${lists.join('\n')}`,
    sidebar,
  });
  copyPictures(site);
  fs.writeFileSync(path.join(site, 'examples.html'), html);
  const found = parts.flatMap(({ examples }) =>
    examples.map(({ name, title, words, text = '', keys = '', href }) => ({
      title,
      kind: 'example',
      page: href.includes('#code=') ? `examples.html#${name}` : href,
      words,
      text: searchedText(`${name} ${text}`),
      keys,
    })),
  );
  return [{ title: 'Examples', kind: 'guide', page: 'examples.html', words: description }, ...found];
}

/** @param {(Example & { topic: string })[]} shown */
const byTopic = (shown) =>
  [...new Set(shown.map(({ topic }) => topic))].map((topic) => ({
    title: `In the playground: ${topic.toLowerCase()}`,
    examples: shown.filter((program) => program.topic === topic),
  }));

/** @param {Example} example */
const cardHtml = ({ name, title, words, href }) =>
  `<li id="${name}"><a href="./${escapeHtml(href)}">${escapeHtml(title)}</a><p>${escapeHtml(words)}</p></li>`;

/** @returns {Example[]} */
function sitePages() {
  const shown = pages.filter(({ name }) => name !== 'playground');
  return shown.map(({ name, folder }) => {
    const html = fs.readFileSync(path.join(ROOT, folder, 'index.html'), 'utf8');
    const title = (/<title>([^<]*)/.exec(html)?.[1] ?? name).replace(/ [·—] Retrograd$/, '');
    const words = /name="description" content="([^"]*)"/.exec(html)?.[1] ?? '';
    return { name, title, words, href: `${name}/index.html` };
  });
}

/** The programs of the playground. @returns {Promise<(Example & { topic: string })[]>} */
export async function galleryPrograms() {
  const file = await bundle({
    entry: 'website/playground/page/gallery.ts',
    folder: temporaryFolder('gallery'),
  });
  /** @type {{ programs: { name: string, title: string, words: string, topic: string }[] }} */
  const { programs: shown } = await import(pathToFileURL(file).href);
  return shown.map((program) => ({
    ...program,
    href: `playground/index.html#program=${program.name}`,
    text: fs.readFileSync(path.join(ROOT, 'examples', 'playground', `${program.name}.ts`), 'utf8'),
  }));
}

/** @returns {Example[]} */
function programs() {
  const names = fs.readdirSync(PROGRAMS).filter((file) => file.endsWith('.ts'));
  return names.map((file) => {
    const source = fs.readFileSync(path.join(PROGRAMS, file), 'utf8');
    const about = (/@file ([\s\S]*?)\*\//.exec(source)?.[1] ?? '').replaceAll(/\s*\n \*\s*/g, ' ').trim();
    const [title = '', ...rest] = about.replace(/\.$/, '').split(/(?<=\w)[:.] /);
    const name = path.parse(file).name;
    const code = fillImports(`${source.trimEnd()}\n\nawait run(console.log);\n`, WIDTH);
    return { name, title, words: sentence(rest), text: source, href: playgroundLink(code, '') };
  });
}

/** @param {string[]} parts */
const sentence = (parts) => parts.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`).join(' ');
