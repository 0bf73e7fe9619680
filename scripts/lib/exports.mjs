// @ts-check
/**
 * @file The public exports of the package, each with its declaration and docstring, read from the sources without a compiler,
 * which is sufficient for formatted code.
 */
import fs from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} PublicExport
 * @property {string} name as an app sees it, such as `layers.dense`
 * @property {string} file where it is declared
 * @property {'class' | 'function' | 'const' | 'interface' | 'type'} kind
 * @property {string} text the declaration, up to the next one
 * @property {string} doc the docstring without its asterisks; empty if there is none
 */

const FROM = /^export (type )?(?:\{([^}]*)\}|\* as (\w+)|\*) from '(\.[^']+)';/gm;
const LOCAL = /^export (?:type )?\{([^}]*)\};/gm;
const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract |async )?(class|function|const|interface|type) (\w+)/gm;

/**
 * Returns the exports of an entry.
 *
 * @param {string} file
 * @param {string} [prefix] the namespace that leads to it
 * @returns {PublicExport[]}
 */
export function publicExports(file, prefix = '') {
  const source = fs.readFileSync(file, 'utf8');
  const found = [...exportedHere(source)].map(([name, inside]) =>
    declared(file, source, prefix + name, inside),
  );
  for (const [, , list, namespace, specifier = ''] of source.matchAll(FROM)) {
    const target = path.join(path.dirname(file), specifier);
    if (namespace) found.push(...publicExports(target, `${prefix}${namespace}.`));
    else if (list === undefined) found.push(...publicExports(target, prefix));
    else {
      const wanted = namesIn(list);
      const inside = new Map(publicExports(target).map((one) => [one.name, one]));
      for (const [as, name] of wanted) {
        const one = inside.get(name);
        if (one) found.push({ ...one, name: prefix + as });
        else throw new Error(`${file}: '${name}' is not declared in ${target}`);
      }
    }
  }
  return found;
}

/**
 * Gives options and classes without a docstring one that follows from their names: `DenseOptions` has the options of `dense`, and
 * `Dense` is the class of what it creates.
 *
 * @param {readonly PublicExport[]} all
 * @returns {PublicExport[]}
 */
export function withDerivedDocs(all) {
  const functions = new Map(
    all
      .filter(({ kind }) => kind === 'const' || kind === 'function')
      .map(({ name }) => [lastOf(name).toLowerCase(), lastOf(name)]),
  );
  return all.map((one) => {
    if (one.doc !== '') return one;
    const [, base = '', isOptions] = /^(.*?)(Options)?$/.exec(lastOf(one.name)) ?? [];
    const maker = functions.get(base.toLowerCase());
    if (!maker || !(isOptions || one.kind === 'class')) return one;
    return {
      ...one,
      doc: isOptions ? `Options of \`${maker}\`.` : `The class of what \`${maker}\` creates.`,
    };
  });
}

/** `layers.dense` → dense. @param {string} name */
const lastOf = (name) => name.slice(name.lastIndexOf('.') + 1);

/**
 * Returns the names that a file declares and exports, with the names of their declarations.
 *
 * @param {string} source
 * @returns {Map<string, string>}
 */
function exportedHere(source) {
  const names = new Map();
  for (const match of source.matchAll(DECLARATION)) {
    if (match[0].startsWith('export')) names.set(match[2], match[2]);
  }
  for (const [, list = ''] of source.matchAll(LOCAL)) {
    for (const [as, name] of namesIn(list)) {
      if (
        new RegExp(`^(?:abstract |async )?(?:class|function|const|interface|type) ${name}\\b`, 'm').test(
          source,
        )
      )
        names.set(as, name);
    }
  }
  return names;
}

/** `a, type b, c as d` → a, b, d with their names in the file. @param {string} list @returns {Map<string, string>} */
function namesIn(list) {
  const items = list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '');
  return new Map(
    items.map((item) => {
      const [name = '', as = name] = item.split(' as ');
      return [as, name];
    }),
  );
}

/**
 * @param {string} file
 * @param {string} source
 * @param {string} name
 * @param {string} inside
 * @returns {PublicExport}
 */
function declared(file, source, name, inside) {
  const all = [...source.matchAll(DECLARATION)];
  const first = all.findIndex((match) => match[2] === inside);
  const match = all[first];
  if (!match) throw new Error(`${file}: '${inside}' is not declared`);
  const next = all.slice(first + 1).find((other) => other[2] !== inside);
  const kind = /** @type {PublicExport['kind']} */ (match[1]);
  return {
    name,
    file,
    kind,
    text: source.slice(match.index, next?.index),
    doc: docBefore(source.slice(0, match.index)),
  };
}

/** Returns the docstring at the end of `source`; comments for tools may come after it. @param {string} source */
function docBefore(source) {
  const withoutTools = source.replace(
    /(?:\n\/\/ biome-ignore[^\n]*|\n\/\* @__NO_SIDE_EFFECTS__ \*\/)+\n$/,
    '\n',
  );
  const start = withoutTools.lastIndexOf('/**');
  const end = withoutTools.lastIndexOf('*/');
  if (
    start < 0 ||
    withoutTools.slice(end + 2).trim() !== '' ||
    withoutTools.slice(start, end).includes('@file')
  )
    return '';
  return withoutTools
    .slice(start + 3, end)
    .replace(/^\s*\* ?/gm, '')
    .trim();
}
