/**
 * @file Links of the documentation are valid: each relative link leads to a file, and each anchor to a heading in it. Decision
 * records have a date and a status.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** All Markdown files of a folder, relative to the repository. */
function pagesIn(folder: string): string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true })
    .map((file) => path.posix.join(folder, String(file).replaceAll(path.sep, '/')))
    .filter((file) => file.endsWith('.md'));
}

const pages = [
  ...fs.readdirSync(root).filter((file) => file.endsWith('.md')),
  ...['docs', 'examples', 'bench', 'test/fixtures'].flatMap(pagesIn),
];

const read = (page: string) => fs.readFileSync(path.join(root, page), 'utf8');

/** Returns the text of a page without its code, in which brackets mean something else. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** Returns the anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with a link of `page`; null if it leads somewhere. */
function fault(page: string, link: string): string | null {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? page : path.posix.join(path.posix.dirname(page), decodeURI(target));
  if (file.startsWith('..')) return `${link} leads out of the repository`;
  if (!fs.existsSync(path.join(root, file))) return `${link}: there is no ${file}`;
  if (anchor && file.endsWith('.md') && !anchorsOf(read(file)).includes(anchor))
    return `${link}: ${file} has no heading #${anchor}`;
  return null;
}

test.each(pages)('%s', (page) => {
  const links = [...prose(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const relative = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(relative.map((link) => fault(page, link)).filter((found) => found !== null)).toEqual([]);
});

/** Records of decisions may name files that are gone since; what describes the present may not. */
const present = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md'];

test.each(present)('the files that %s names exist', (page) => {
  const named = [...read(page).matchAll(/`((?:src|shaders|scripts|test|bench|examples|docs)\/[\w./-]+)`/g)];
  const missing = named.map(([, file = '']) => file).filter((file) => !fs.existsSync(path.join(root, file)));
  expect(missing).toEqual([]);
});

const records = pagesIn('docs/decisions').filter((page) => !page.endsWith('README.md'));

test.each(records)('%s has a date and a status, and is listed', (page) => {
  expect(read(page).split('\n')[2]).toMatch(
    /^\*\d{4}-\d\d-\d\d(, revised \d{4}-\d\d-\d\d)?\. (Accepted|Superseded)\b.*\.\*$/,
  );
  expect(read('docs/decisions/README.md')).toContain(`](${path.basename(page)})`);
});
