// @ts-check
/**
 * @file Writes src/inspect/page/generated: script and style of the step inspector's page, as text that a report inlines. A
 * test fails if they are out of date.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = path.join(ROOT, 'src/inspect/page');

/** The files of src/inspect/page/style, in the order of their rules. */
const STYLES = [
  'frame',
  'totals',
  'tabs',
  'findings',
  'tables',
  'graph',
  'charts',
  'recording',
  'legend',
  'maps',
  'narrow',
];

/** Returns the modules by their names. */
export async function pageModules() {
  const build = await rolldown({ input: path.join(FOLDER, 'main.ts') });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  const script = output[0].code.trim();
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would close its own <script> element');
  const sheets = STYLES.map((name) => fs.readFileSync(path.join(FOLDER, 'style', `${name}.css`), 'utf8'));
  const style = squeeze(sheets.join('\n'));
  return {
    'script.ts': moduleOf('script', 'pageScript', script),
    'style.ts': moduleOf('style', 'pageStyle', style),
  };
}

/** @param {string} what @param {string} name @param {string} text */
function moduleOf(what, name, text) {
  const hash = crypto.createHash('sha256').update(text).digest('base64');
  return [
    `/** @file The ${what} of the step inspector's page. Generated: node scripts/inspector-page.mjs */`,
    `export const ${name} = ${JSON.stringify(text)};`,
    `export const ${name}Hash = 'sha256-${hash}';`,
    '',
  ].join('\n');
}

/** @param {string} css */
function squeeze(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/\s*([{};])\s*/g, '$1')
    .replace(/([:,])\s+/g, '$1')
    .replaceAll(';}', '}')
    .trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  fs.mkdirSync(path.join(FOLDER, 'generated'), { recursive: true });
  for (const [name, text] of Object.entries(await pageModules())) {
    fs.writeFileSync(path.join(FOLDER, 'generated', name), text);
    process.stdout.write(`src/inspect/page/generated/${name}: ${(text.length / 1000).toFixed(1)} kB\n`);
  }
}
