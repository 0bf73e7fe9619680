// @ts-check
/** @file Copies a starter of the package to a folder of the user's. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Starter
 * @property {string} words what it is
 * @property {readonly string[]} next the commands that run it
 */

/** @type {Readonly<Record<string, Starter>>} */
export const starters = {
  vite: { words: 'a page in TypeScript, with Vite', next: ['npm install', 'npm run dev'] },
  react: { words: 'a page with React and Vite', next: ['npm install', 'npm run dev'] },
  worker: { words: 'a page that trains in a Worker, with Vite', next: ['npm install', 'npm run dev'] },
  'no-build': { words: 'one HTML file, without a build', next: ['npx serve'] },
  node: { words: 'a program for Node', next: ['npm install', 'npm start'] },
  deno: { words: 'a program for Deno', next: ['deno task start'] },
};

/** The command was called in a way that it can't follow. The message has the rule, what was received, and a hint. */
export class CreateError extends Error {
  /** @param {{ rule: string, received: string, hint: string }} parts */
  constructor({ rule, received, hint }) {
    super(`create: ${rule}\n  received: ${received}\n  hint: ${hint}`);
    this.name = 'CreateError';
  }
}

/** Returns the starters as lines of text. */
export function listStarters() {
  return Object.entries(starters)
    .map(([name, { words }]) => `  ${name.padEnd(9)} ${words}`)
    .join('\n');
}

/**
 * Copies a starter, and returns what to do next. Errors: CreateError for an unknown starter, further arguments, and a folder that isn't
 * empty.
 *
 * @param {readonly string[]} args the starter, and the folder
 */
export function create([name = '', folder = `retrograd-${name}`, ...extra]) {
  const starter = Object.hasOwn(starters, name) ? starters[name] : undefined;
  if (!starter) {
    throw new CreateError({
      rule: `a starter is one of ${Object.keys(starters).join(', ')}.`,
      received: `'${name}'`,
      hint: 'npx retrograd create says what each is.',
    });
  }
  if (extra.length > 0) {
    throw new CreateError({
      rule: 'it takes a starter and a folder.',
      received: extra.map((one) => `'${one}'`).join(', '),
      hint: 'quote the name of a folder that has spaces.',
    });
  }
  const target = path.resolve(folder);
  requireEmpty(target, folder);
  fs.cpSync(path.join(PACKAGE, 'examples', `starter-${name}`), target, { recursive: true });
  // npm leaves such files out of packages.
  fs.writeFileSync(path.join(target, '.gitignore'), 'node_modules\ndist\n');
  nameProject(target);
  if (name === 'no-build')
    fs.cpSync(path.join(PACKAGE, 'dist', 'browser'), path.join(target, 'retrograd'), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  const steps = [`cd ${/\s/.test(folder) ? `"${folder}"` : folder}`, ...starter.next];
  return `${folder} has ${starter.words}. Next:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`;
}

/** @param {string} target @param {string} folder */
function requireEmpty(target, folder) {
  if (!fs.existsSync(target)) return;
  const isFolder = fs.statSync(target).isDirectory();
  const [first] = isFolder ? fs.readdirSync(target) : [];
  if (isFolder && first === undefined) return;
  throw new CreateError({
    rule: 'the folder is empty or not there yet.',
    received: isFolder ? `${folder}, which has ${first}` : `${folder}, which is a file`,
    hint: 'name another folder.',
  });
}

/** Gives the project the name of its folder, if npm allows it. @param {string} target */
function nameProject(target) {
  const file = path.join(target, 'package.json');
  const name = path.basename(target).toLowerCase();
  if (!fs.existsSync(file) || !/^[a-z0-9][a-z0-9._-]*$/.test(name)) return;
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"name": "[^"]*"/, `"name": "${name}"`));
}
