// @ts-check
/**
 * @file Checks the package as users get it: the files that would be published, that every export leads to a module and
 * types, that every import inside resolves, that each entry loads without a GPU, and that the notices list what is bundled.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ENTRY_SOURCES, presentEntries } from './lib/entries.mjs';
import { readImports } from './lib/imports.mjs';
import { pack } from './lib/packing.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOTICES = 'THIRD_PARTY_NOTICES.md';

/** What is downloaded by `npm install`, in bytes: the largest that passes. */
const MAX_PACKED = 2e6;

/**
 * Every entry that has a source is exported, and every export of such an entry is packed.
 *
 * @param {Record<string, unknown>} manifest package.json
 * @param {Record<string, string>} entries entry name -> source
 * @param {Set<string>} files
 * @returns {string[]} faults
 */
export function checkExports(manifest, entries, files) {
  /** @type {string[]} */
  const faults = [];
  const exported = /** @type {Record<string, Record<string, string> | undefined>} */ (manifest.exports);
  for (const name of Object.keys(entries)) {
    const key = name === 'index' ? '.' : `./${name}`;
    for (const condition of ['types', 'default']) {
      const file = exported[key]?.[condition];
      if (!file) faults.push(`package.json's exports['${key}'] lacks '${condition}'`);
      else if (!files.has(file.replace(/^\.\//, '')))
        faults.push(`exports['${key}'] leads to ${file}, which is not packed`);
    }
  }
  if (manifest.dependencies)
    faults.push('the core has no run-time dependency, but package.json has `dependencies`');
  return faults;
}

/**
 * Every import of a packed module and of packed types leads to a packed file.
 *
 * @param {Set<string>} files
 * @param {(file: string) => string} read
 * @returns {string[]} faults
 */
export function checkImports(files, read) {
  /** @type {string[]} */
  const faults = [];
  for (const file of files) {
    if (!/^dist\/.*\.(js|d\.ts)$/.test(file)) continue;
    for (const { specifier, line } of readImports(read(file))) {
      if (!specifier.startsWith('.')) {
        faults.push(`${file}:${line}: imports the package '${specifier}'`);
        continue;
      }
      const target = path.posix.join(path.posix.dirname(file), specifier);
      const typed = file.endsWith('.d.ts') ? target.replace(/\.(js|ts)$/, '.d.ts') : target;
      if (!files.has(typed)) faults.push(`${file}:${line}: imports '${specifier}', which is not packed`);
    }
  }
  return faults;
}

/** Packages whose code the source maps of dist/browser show, but the notices do not name. @param {Set<string>} files */
function checkNotices(files) {
  const notices = files.has(NOTICES) ? fs.readFileSync(path.join(ROOT, NOTICES), 'utf8') : '';
  const bundled = new Set();
  const folder = path.join(ROOT, 'dist', 'browser');
  const maps = fs.readdirSync(folder, { recursive: true }).filter((file) => String(file).endsWith('.js.map'));
  if (maps.length === 0) return ['dist/browser has no source maps, which show what is bundled'];
  for (const file of maps) {
    const { sources } = JSON.parse(fs.readFileSync(path.join(folder, String(file)), 'utf8'));
    for (const source of sources) {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
      if (name) bundled.add(name);
    }
  }
  return [...bundled]
    .filter((name) => !notices.includes(name))
    .map((name) => `${NOTICES} does not name ${name}`);
}

/** Importing an entry must not access a GPU or a browser. @param {Record<string, string>} entries */
function checkLoading(entries) {
  /** @type {string[]} */
  const faults = [];
  for (const name of Object.keys(entries)) {
    const url = new URL(`../dist/${name}.js`, import.meta.url).href;
    try {
      const script = `const entry = await import(${JSON.stringify(url)}); if (Object.keys(entry).length === 0) throw new Error('exports nothing');`;
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    } catch (error) {
      const output = String(/** @type {{ stderr?: Buffer }} */ (error).stderr ?? error);
      faults.push(`dist/${name}.js does not load: ${/\w*Error: .*/.exec(output)?.[0] ?? output}`);
    }
  }
  return faults;
}

/**
 * Strict TypeScript projects that install the package compile: the programs that people write, and one with TypeScript's
 * strictest settings, each with one of the ways of resolving modules. Declarations are checked with only ES2022 and DOM.
 *
 * @param {Record<string, string>} entries
 * @param {Set<string>} files
 */
function checkConsumer(entries, files) {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-consumer-'));
  try {
    const installed = path.join(project, 'node_modules', 'retrograd');
    for (const file of files) {
      fs.mkdirSync(path.dirname(path.join(installed, file)), { recursive: true });
      fs.copyFileSync(path.join(ROOT, file), path.join(installed, file));
    }
    const names = Object.keys(entries);
    const imports = names.map(
      (name, i) => `import * as entry${i} from 'retrograd${name === 'index' ? '' : `/${name}`}';`,
    );
    fs.writeFileSync(
      path.join(project, 'app.mts'),
      `${imports.join('\n')}\nexport default [${names.map((_, i) => `entry${i}`).join(', ')}];\n`,
    );
    writePrograms(project);
    fs.copyFileSync(path.join(ROOT, 'test', 'types', 'strictest.ts'), path.join(project, 'strictest.mts'));
    return [
      ...compile(project, 'nodenext', ['app.mts', 'programs'], { exactOptionalPropertyTypes: true }),
      ...compile(project, 'bundler', ['app.mts', 'strictest.mts'], strictest),
    ];
  } finally {
    fs.rmSync(project, { recursive: true, force: true });
  }
}

/**
 * Writes the programs of examples/programs, of the README and of the guide, as an app would contain them.
 * @param {string} project
 */
function writePrograms(project) {
  const folder = path.join(project, 'programs');
  fs.mkdirSync(folder);
  // DOM has WebGPU's types, but not the values of its flags.
  fs.writeFileSync(
    path.join(folder, 'flags.d.mts'),
    'declare global {\n  var GPUBufferUsage: Readonly<Record<string, number>>;\n}\nexport {};\n',
  );
  // What programs for Node use of the package `webgpu`, which this check doesn't install.
  fs.writeFileSync(
    path.join(folder, 'webgpu.d.ts'),
    "declare module 'webgpu' {\n  export function create(flags: string[]): GPU;\n  export const globals: object;\n}\n",
  );
  const examples = path.join(ROOT, 'examples', 'programs');
  for (const file of fs.readdirSync(examples).filter((name) => name.endsWith('.ts')))
    fs.copyFileSync(path.join(examples, file), path.join(folder, file.replace(/\.ts$/, '.mts')));
  const guide = fs.readdirSync(path.join(ROOT, 'docs', 'guide')).filter((file) => file.endsWith('.md'));
  // These show fragments that use the reader's files.
  const fragments = ['files.md', 'pretrained.md'];
  const pages = guide.filter((file) => !fragments.includes(file)).map((file) => `docs/guide/${file}`);
  for (const page of ['README.md', ...pages]) {
    for (const [file, code] of programsOf(
      fs.readFileSync(path.join(ROOT, page), 'utf8'),
      path.parse(page).name,
    ))
      fs.writeFileSync(path.join(folder, file), code);
  }
}

/**
 * Returns the code of a page by file, as TypeScript: blocks without a name are one program, blocks with a name are separate
 * files.
 *
 * @param {string} text
 * @param {string} name
 * @returns {Map<string, string>}
 */
export function programsOf(text, name) {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const [, title = name, code = ''] of text.matchAll(/^```[jt]s(?: (\S+))?\n([\s\S]*?)^```$/gm)) {
    const file = `${name}-${path.parse(title).name}.mts`;
    files.set(file, `${files.get(file) ?? ''}${code}`);
  }
  files.delete('README-README.mts'); // Fragments.
  return files;
}

/** Options beyond `strict`. */
const strictest = {
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
};

/**
 * @param {string} project
 * @param {string} resolution
 * @param {string[]} include
 * @param {Record<string, boolean>} more further options of the compiler
 * @returns {string[]} faults
 */
function compile(project, resolution, include, more) {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: resolution === 'bundler' ? 'esnext' : resolution,
    moduleResolution: resolution,
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    ...more,
  };
  fs.writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  try {
    execFileSync(process.execPath, [tsc, '-p', project], { stdio: 'pipe' });
    return [];
  } catch (error) {
    const output = String(/** @type {{ stdout?: Buffer }} */ (error).stdout ?? error).trim();
    return output
      .split('\n')
      .slice(0, 10)
      .map((line) => `a consumer (${resolution}) does not compile: ${line}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const entries = presentEntries(ROOT);
  const { size, ...packed } = pack('--dry-run');
  const files = new Set(packed.files);
  const read = (/** @type {string} */ file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
  const faults = [
    ...checkExports(manifest, entries, files),
    ...checkImports(files, read),
    ...checkNotices(files),
    ...checkLoading(entries),
    ...checkConsumer(entries, files),
    ...(size > MAX_PACKED ? [`the package has ${size} bytes, and may have ${MAX_PACKED}`] : []),
  ];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  for (const name of Object.keys(ENTRY_SOURCES).filter((known) => !entries[known])) {
    process.stdout.write(`the entry '${name}' has no source yet: left out\n`);
  }
  process.stdout.write(
    `${files.size} packed files, ${(size / 1e6).toFixed(2)} MB, ${faults.length} faults\n`,
  );
  process.exitCode = faults.length > 0 ? 1 : 0;
}
