// @ts-check
/**
 * @file The public interface as data: TypeDoc reads the types of the built package, and this module flattens its result to
 * one list of exports. TypeDoc runs with its own TypeScript, as a separate process.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ENTRY_SOURCES } from '../lib/entries.mjs';
import { ROOT, SetupError } from '../setup.mjs';

const TYPEDOC = path.join(ROOT, 'tools', 'typedoc', 'node_modules', 'typedoc', 'bin', 'typedoc');

/** `retrograd/keras/layers` has the same exports as `layers` of `retrograd/keras`, so they share pages. */
const entries = Object.keys(ENTRY_SOURCES).filter((entry) => entry !== 'keras/layers');

/** Numbers of kinds in TypeDoc's JSON. */
const NAMESPACE = 4;
const REFERENCE = 4194304;
/** @type {Record<number, string>} */
const kinds = { 32: 'constant', 64: 'function', 128: 'class', 256: 'interface', 2097152: 'type' };

/**
 * The parts of a reflection in TypeDoc's JSON that are used here.
 *
 * @typedef {object} Reflection
 * @property {number} id
 * @property {string} name
 * @property {number} kind
 * @property {Reflection[]} [children]
 * @property {Reflection[]} [signatures]
 * @property {Reflection[]} [parameters]
 * @property {Reflection[]} [typeParameters]
 * @property {Reflection[]} [indexSignatures]
 * @property {Reflection} [getSignature]
 * @property {Reflection} [setSignature]
 * @property {{ isOptional?: boolean, isRest?: boolean, isReadonly?: boolean, isStatic?: boolean, isInherited?: boolean,
 * isAbstract?: boolean }} flags
 * @property {{ summary: { text: string }[], blockTags?: { tag: string, content: { text: string }[] }[] }} [comment]
 * @property {{ fileName: string, line: number }[]} [sources]
 * @property {number} [target]
 * @property {import('./types.mjs').Type} [type]
 * @property {import('./types.mjs').Type} [default]
 * @property {{ target?: number }} [inheritedFrom]
 * @property {unknown} [overwrites]
 * @property {import('./types.mjs').Type[]} [extendedTypes]
 * @property {string} [defaultValue]
 */

/**
 * @typedef {object} Export
 * @property {string} entry such as `retrograd/keras`
 * @property {string} name as an app sees it, such as `layers.dense`
 * @property {string} kind
 * @property {string} doc
 * @property {string} file its source, relative to the repository
 * @property {string} page the file of its page in reference/
 * @property {Reflection} reflection
 */

/**
 * Runs TypeDoc on dist/ if its output is older than the types.
 *
 * @param {string} file path of its JSON
 */
export function readTypes(file) {
  const folder = path.dirname(file);
  fs.mkdirSync(folder, { recursive: true });
  const files = entries.map((entry) => path.join(ROOT, 'dist', `${entry}.d.ts`));
  const newest = Math.max(...files.map((one) => fs.statSync(one).mtimeMs));
  if (!fs.existsSync(file) || fs.statSync(file).mtimeMs < newest) runTypeDoc(file, folder, files);
  return /** @type {Reflection} */ (JSON.parse(fs.readFileSync(file, 'utf8')));
}

/** @param {string} file @param {string} folder @param {string[]} files */
function runTypeDoc(file, folder, files) {
  const tsconfig = path.join(folder, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    skipLibCheck: true,
    types: [],
    rootDir: path.join(ROOT, 'dist'),
  };
  fs.writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files }));
  const options = [
    ...['--tsconfig', tsconfig, '--json', file, '--readme', 'none', '--logLevel', 'Error'],
    ...['--skipErrorChecking', '--excludePrivate', '--excludeProtected', '--excludeExternals'],
    ...['--disableGit', '--sourceLinkTemplate', '{path}', '--gitRevision', 'main'],
    ...files.flatMap((entry) => ['--entryPoints', entry]),
  ];
  const { status, stderr, stdout } = spawnSync(process.execPath, [TYPEDOC, ...options], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new SetupError(`TypeDoc must read the types. Received:\n${stdout}${stderr}`);
}

/** @param {Reflection} reflection */
export function docOf(reflection) {
  const own = reflection.comment ?? reflection.signatures?.find(({ comment }) => comment)?.comment;
  const got = own ?? reflection.getSignature?.comment;
  const deprecated = got?.blockTags?.find(({ tag }) => tag === '@deprecated');
  const parts = deprecated ? [{ text: 'Deprecated. ' }, ...deprecated.content] : [];
  return [...(got?.summary ?? []), ...parts].map(({ text }) => text).join('');
}

/**
 * Returns all exports. TypeDoc drops the docstrings of those that follow an entry's `@file`; the sources still have them.
 *
 * @param {Reflection} project
 * @param {(entry: string, name: string) => string | undefined} docInSource
 * @returns {Export[]}
 */
export function exportsOf(project, docInSource) {
  const all = (project.children ?? []).flatMap((module) => {
    const entry = module.name === 'index' ? 'retrograd' : `retrograd/${module.name}`;
    return flatten(module, entry, '');
  });
  return all.map((one) => (one.doc === '' ? { ...one, doc: docInSource(one.entry, one.name) ?? '' } : one));
}

/** @param {Reflection} parent @param {string} entry @param {string} prefix @returns {Export[]} */
function flatten(parent, entry, prefix) {
  return (parent.children ?? []).flatMap((reflection) => {
    const name = prefix + reflection.name;
    if (reflection.kind === NAMESPACE) return flatten(reflection, entry, `${name}.`);
    if (reflection.kind === REFERENCE) return [];
    const kind = kinds[reflection.kind];
    if (!kind) throw new Error(`the reference knows no export of TypeDoc's kind ${reflection.kind}: ${name}`);
    return [
      {
        entry,
        name,
        kind,
        doc: docOf(reflection),
        file: fileOf(reflection),
        page: pageOf(entry, name),
        reflection,
      },
    ];
  });
}

/** Names that differ only in case share a page, as files do on some systems. @param {string} entry @param {string} name */
function pageOf(entry, name) {
  const prefix = entry === 'retrograd' ? '' : `${entry.slice('retrograd/'.length)}.`;
  return `${prefix}${name}.html`.toLowerCase();
}

/** @param {Reflection} reflection */
export function fileOf(reflection) {
  const source = reflection.sources?.[0] ?? reflection.signatures?.[0]?.sources?.[0];
  return (source?.fileName ?? '').replace(/^.*?dist\/types\//, '').replace(/\.d\.ts$/, '.ts');
}

/**
 * Returns the exports that re-export those of another entry or namespace.
 *
 * @param {Reflection} project
 * @returns {{ id: number, target: number, name: string }[]} `name` with its entry in front
 */
export function aliasesOf(project) {
  /** @type {{ id: number, target: number, name: string }[]} */
  const aliases = [];
  /** @param {Reflection} parent @param {string} prefix */
  const visit = (parent, prefix) => {
    for (const child of parent.children ?? []) {
      if (child.kind === REFERENCE && child.target !== undefined)
        aliases.push({ id: child.id, target: child.target, name: prefix + child.name });
      else if (child.kind === NAMESPACE) visit(child, `${prefix}${child.name}.`);
    }
  };
  for (const module of project.children ?? [])
    visit(module, `${module.name === 'index' ? 'retrograd' : `retrograd/${module.name}`} `);
  return aliases;
}
