// @ts-check
/**
 * @file `npm run build:pages [NAME …]`: all pages, or those named, into site/, with an index. Everything in it is static, and
 * every address relative: any host serves it, under any path.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { buildLibrary, buildPage, pages } from './lib/pages.mjs';
import { ROOT, runMain, setup } from './setup.mjs';

/** @param {string} html @param {RegExp} part */
const partOf = (html, part) => part.exec(html)?.[1]?.split(/ [—·] Retrograd/)[0] ?? '';

function index() {
  const built = pages.filter(({ name }) => fs.existsSync(path.join(ROOT, 'site', name, 'index.html')));
  const items = built.map(({ name }) => {
    const html = fs.readFileSync(path.join(ROOT, 'site', name, 'index.html'), 'utf8');
    const title = partOf(html, /<title>([^<]*)<\/title>/);
    const words = partOf(html, /<meta name="description" content="([^"]*)"/);
    return `      <li><a href="./${name}/">${title}</a><p>${words}</p></li>`;
  });
  const head = fs.readFileSync(path.join(ROOT, 'examples', 'site.html'), 'utf8');
  fs.writeFileSync(
    path.join(ROOT, 'site', 'index.html'),
    head.replace('      <!-- pages -->', items.join('\n')),
  );
}

await runMain(() => {
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  const { env } = setup({ browser: false });
  const named = process.argv.slice(2);
  buildLibrary(env, say);
  for (const name of named.length > 0 ? named : pages.map((page) => page.name)) buildPage(name, env, say);
  index();
  say('site/ holds the pages: any static host serves them.');
});
