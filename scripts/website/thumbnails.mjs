// @ts-check
/** @file Pages and programs of the site as a gallery: a picture, light and dark, a title and a sentence. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup.mjs';
import { escapeHtml } from './types.mjs';

const FOLDER = path.join(ROOT, 'website', 'pictures');
const THUMBNAIL = { width: 640, height: 400 };

/** Copies the pictures into the site. @param {string} site */
export function copyPictures(site) {
  fs.cpSync(FOLDER, path.join(site, 'pictures'), { recursive: true });
}

/** @param {string} name */
export const hasPicture = (name) => fs.existsSync(path.join(FOLDER, `${name}-light.webp`));

/**
 * Both pictures: style shows the one of the theme, and the other isn't loaded. They are the site's: Vite is to leave them.
 *
 * @param {string} name
 * @param {string} alt
 */
export function pictureHtml(name, alt, { width, height } = THUMBNAIL) {
  return ['light', 'dark']
    .map(
      (theme) =>
        `<img vite-ignore class="${theme}" src="./pictures/${name}-${theme}.webp" alt="${escapeHtml(alt)}" width="${width}" height="${height}" loading="lazy" />`,
    )
    .join('');
}

/**
 * An item of a gallery. `href` is from the site's root, `id` from examples that are linked. The title is the link for keyboard and screen reader.
 *
 * @param {{ name: string, title: string, words: string, href: string }} example
 * @param {{ id?: string }} [options]
 */
export function thumbnailHtml({ name, title, words, href }, { id } = {}) {
  const link = `./${escapeHtml(href)}`;
  const shot = `<a class="shot" href="${link}" tabindex="-1" aria-hidden="true">${pictureHtml(name, '')}</a>`;
  return `<li${id ? ` id="${id}"` : ''}>${shot}<h3><a href="${link}">${escapeHtml(title)}</a></h3><p>${escapeHtml(words)}</p></li>`;
}
