// @ts-check
/** @file Writes site/sw.js, which shows the site without a network, and the page for what it hasn't kept. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup.mjs';
import { pageHtml } from './layout.mjs';

const SITE = path.join(ROOT, 'site');
/** Kept with the first visit: what every page needs, and the guide. Pictures and the reference are kept once they were visited. */
const FIRST =
  /^(?:(?:index|examples|offline)\.html|guide\/.*\.html|assets\/(?!.*\.map$).*|landing\/.*\.(?:css|js)|favicon\.svg)$/;

/** Writes them for what site/ has now. @param {readonly string[]} pages the folders that are pages of their own */
export function writeOffline(pages) {
  const words = 'Without a network, the site shows the guide, and the pages that you have visited before.';
  fs.writeFileSync(
    path.join(SITE, 'offline.html'),
    pageHtml({
      title: 'No network',
      description: words,
      root: './',
      section: '',
      main: `<h1>No network</h1><p class="lead">${words}</p><p><a href="./guide/start.html">The guide</a></p>`,
    }),
  );
  const files = filesIn('.');
  const first = files.filter((file) => FIRST.test(file));
  // The benchmark has megabytes of other libraries, and is of use only where they are to be measured.
  const own = Object.fromEntries(
    pages
      .filter((name) => name !== 'bench')
      .map((name) => [name, files.filter((file) => file.startsWith(`${name}/`) && !file.endsWith('.map'))]),
  );
  const hash = createHash('sha256');
  for (const file of [...first, ...Object.values(own).flat()])
    hash.update(file).update(fs.readFileSync(path.join(SITE, file)));
  const code = fs
    .readFileSync(path.join(ROOT, 'website', 'offline', 'worker.js'), 'utf8')
    .replace("'$version'", JSON.stringify(hash.digest('hex').slice(0, 16)))
    .replace("['$first']", JSON.stringify(first))
    .replace('{ $pages: [] }', JSON.stringify(own));
  fs.writeFileSync(path.join(SITE, 'sw.js'), code);
}

/** The files of the site, in their order, with `/`. @param {string} folder @returns {string[]} */
function filesIn(folder) {
  const place = path.join(SITE, folder);
  if (!fs.existsSync(place)) return [];
  return fs
    .readdirSync(place, { withFileTypes: true })
    .flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? filesIn(file) : [file];
    })
    .sort();
}
