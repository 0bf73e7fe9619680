// @ts-check
/** @file Generated parts of the landing page: the running program, and the figures of the README. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup.mjs';
import { pages } from '../lib/pages.mjs';
import { fillImports } from './fillImports.mjs';
import { highlight, renderMarkdown } from './markdown.mjs';

/** Line width of the running program, in characters. */
const WIDTH = 88;

/** By the name of the comment that each replaces. @returns {Record<string, string>} */
export function landingFragments() {
  const read = (/** @type {string} */ file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
  const figures = /<!-- figures -->\n([\s\S]*?)\n\nMissed targets/.exec(read('README.md'))?.[1] ?? '';
  return {
    program: `<figure class="code"><pre tabindex="0"><code>${highlight(fillImports(read('website/landing/field.ts'), WIDTH).trim())}</code></pre></figure>`,
    pages: galleryHtml(read),
    // Results lie in the repository, not on the site.
    figures: renderMarkdown(figures, { link: () => '' }).html,
  };
}

/** Returns the HTML of the pages that run, with their own descriptions. @param {(file: string) => string} read */
function galleryHtml(read) {
  return pages
    .map(({ name, folder }) => {
      const html = read(`${folder}/index.html`);
      const title = (/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? name).split(/ [—·] Retrograd/)[0];
      const words = /<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? '';
      return `<li><h3><a href="./${name}/index.html">${title}</a></h3><p>${words}</p></li>`;
    })
    .join('\n');
}
