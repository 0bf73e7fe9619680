// @ts-check
/** @file The files that all pages of the site share: scripts and style of the frame, the icon, the picture of its links. */
import fs from 'node:fs';
import path from 'node:path';
import { bundle } from '../lib/bundle.mjs';
import { ROOT } from '../setup.mjs';

const SITE = path.join(ROOT, 'site');
const ASSETS = path.join(SITE, 'assets');

export async function buildFrame() {
  fs.mkdirSync(ASSETS, { recursive: true });
  const frame = (/** @type {string} */ file) => path.join(ROOT, 'website', 'frame', file);
  fs.copyFileSync(frame('theme.js'), path.join(ASSETS, 'theme.js'));
  for (const file of ['favicon.svg', 'preview.png']) fs.copyFileSync(frame(file), path.join(SITE, file));
  writeStyle('frame', ['tokens', 'frame']);
  await bundle({ entry: 'website/frame/frame.ts', folder: ASSETS });
  await bundle({ entry: 'website/frame/search.ts', folder: ASSETS });
}

/** @param {string} name @param {string[]} parts of website/style */
export function writeStyle(name, parts) {
  const style = parts.map((part) =>
    fs.readFileSync(path.join(ROOT, 'website', 'style', `${part}.css`), 'utf8'),
  );
  fs.writeFileSync(path.join(ASSETS, `${name}.css`), style.join('\n'));
}
