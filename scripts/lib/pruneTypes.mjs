// @ts-check
/**
 * @file Removes from declaration files what no entry of the package leads to: internal functions and their types are most of what the
 * compiler emits, and nobody can import them. What entries need and don't export, such as types of members, stays without its documentation,
 * which no editor shows; that of members stays.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

/**
 * @typedef {object} Statement
 * @property {string} text
 * @property {string} docs its documentation
 * @property {ReadonlySet<string>} words the identifiers in it
 * @property {readonly string[]} imported `import('…')` in types: the files
 * @property {boolean} isKept
 * @property {boolean} isPublic whether an entry exports it
 *
 * @typedef {object} Link an import or a re-export of one name
 * @property {string} from the file
 * @property {string} name in that file; '*' for all of its exports
 * @property {string} text as in the braces, or the whole statement for '*'
 * @property {boolean} isExport
 * @property {boolean} isKept
 *
 * @typedef {object} Declarations
 * @property {Map<string, Statement[]>} declared by name: overloads are several statements
 * @property {readonly Statement[]} statements in their order
 * @property {Map<string, Link>} imports by local name
 * @property {Map<string, Link>} reexports by exported name
 * @property {readonly Link[]} stars `export * from`
 * @property {Map<string, string>} exported local names by exported name
 * @property {Set<string>} needed exported names that something needs
 */

/** @typedef {any} Node of the parser's tree */

/**
 * Returns the files that the entries need, with what is needed of them.
 *
 * @param {readonly string[]} entries
 * @returns {Map<string, string>} text by file
 */
export function pruneTypes(entries) {
  /** @type {Map<string, Declarations>} */
  const files = new Map();
  const read = (/** @type {string} */ file) => {
    const known = files.get(file);
    if (known) return known;
    const made = declarationsOf(file);
    files.set(file, made);
    return made;
  };
  /** @type {Set<string>} */
  const wholly = new Set();

  /** @param {string} file */
  function needAll(file) {
    if (wholly.has(file)) return;
    wholly.add(file);
    const { exported, reexports, stars } = read(file);
    for (const name of [...exported.keys(), ...reexports.keys()]) need(file, name);
    for (const star of stars) {
      star.isKept = true;
      needAll(star.from);
    }
  }

  /** Whether the file exports the name. @param {string} file @param {string} name @returns {boolean} */
  function need(file, name) {
    const { exported, reexports, stars, needed } = read(file);
    const local = exported.get(name);
    if (local !== undefined) {
      needed.add(name);
      needLocal(file, local);
      return true;
    }
    const link = reexports.get(name);
    if (link) {
      follow(link);
      return true;
    }
    return stars.some((star) => {
      if (!need(star.from, name)) return false;
      star.isKept = true;
      return true;
    });
  }

  /** @param {Link} link */
  function follow(link) {
    if (link.isKept) return;
    link.isKept = true;
    if (link.name === '*') needAll(link.from);
    else if (!need(link.from, link.name)) throw new Error(`${link.from} doesn't export ${link.name}.`);
  }

  /** @param {string} file @param {string} name */
  function needLocal(file, name) {
    const { declared, imports } = read(file);
    const link = imports.get(name);
    if (link) follow(link);
    for (const statement of declared.get(name) ?? []) keep(file, statement);
  }

  /** @param {string} file @param {Statement} statement */
  function keep(file, statement) {
    if (statement.isKept) return;
    statement.isKept = true;
    for (const word of statement.words) needLocal(file, word);
    for (const other of statement.imported) needAll(other);
  }

  /** @type {Set<string>} */
  const published = new Set();

  /** @param {string} file */
  function publishAll(file) {
    if (published.has(file)) return;
    published.add(file);
    const { exported, reexports, stars } = read(file);
    for (const name of [...exported.keys(), ...reexports.keys()]) publish(file, name);
    for (const star of stars) publishAll(star.from);
  }

  /** Whether the file exports the name. @param {string} file @param {string} name @returns {boolean} */
  function publish(file, name) {
    if (name === '*') publishAll(file);
    const { exported, reexports, stars, imports, declared } = read(file);
    const local = exported.get(name) ?? name;
    const link = reexports.get(name) ?? (exported.has(name) ? imports.get(local) : undefined);
    if (link) return publish(link.from, link.name);
    if (!exported.has(name)) return stars.some((star) => publish(star.from, name));
    for (const statement of declared.get(local) ?? []) statement.isPublic = true;
    return true;
  }

  for (const entry of entries) {
    publishAll(entry);
    needAll(entry);
  }
  return new Map(
    [...files].flatMap(([file, declarations]) => {
      const text = textOf(file, declarations);
      return text === '' ? [] : [[file, text]];
    }),
  );
}

/** @param {string} file @returns {Declarations} */
function declarationsOf(file) {
  const source = fs.readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const place = (/** @type {string} */ specifier) =>
    path.join(path.dirname(file), specifier.replace(/\.js$/, '.d.ts'));
  /** @type {Declarations & { statements: Statement[], stars: Link[] }} */
  const made = {
    declared: new Map(),
    statements: [],
    imports: new Map(),
    reexports: new Map(),
    stars: [],
    exported: new Map(),
    needed: new Set(),
  };
  let end = 0;
  for (const node of /** @type {Node[]} */ (program.body)) {
    const documented = docStart(source, comments, end, node.start);
    const docs = source.slice(documented, node.start);
    const text = source.slice(node.start, node.end);
    end = node.end;
    if (node.type === 'ImportDeclaration') {
      for (const one of node.specifiers) made.imports.set(one.local.name, linkOf(one, node, source, place));
    } else if (node.type === 'ExportAllDeclaration') {
      const link = { from: place(node.source.value), name: '*', text, isExport: true, isKept: false };
      if (node.exported) made.reexports.set(node.exported.name, link);
      else made.stars.push(link);
    } else if (node.type === 'ExportNamedDeclaration' && !node.declaration) {
      for (const one of node.specifiers) {
        if (node.source) made.reexports.set(one.exported.name, linkOf(one, node, source, place));
        else made.exported.set(one.exported.name, one.local.name);
      }
    } else {
      const declaration = node.declaration ?? node;
      const names = namesOf(declaration);
      const code = source.slice(node.start, node.end).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      const statement = {
        text,
        docs,
        words: new Set(code.match(/[A-Za-z_$][\w$]*/g)),
        imported: [...code.matchAll(/import\((['"])(\..*?)\1\)/g)].map(([, , specifier = '']) =>
          place(specifier),
        ),
        isKept: false,
        isPublic: false,
      };
      made.statements.push(statement);
      for (const name of names) {
        made.declared.set(name, [...(made.declared.get(name) ?? []), statement]);
        if (node.type === 'ExportNamedDeclaration') made.exported.set(name, name);
      }
      if (node.type === 'ExportDefaultDeclaration' || names.length === 0)
        throw new Error(`${file}: nothing prunes '${text.slice(0, 60)}' yet.`);
    }
  }
  return made;
}

/** Where the documentation of a statement begins, or it itself. @param {string} source @param {readonly { type: string, value: string, start: number, end: number }[]} comments @param {number} from @param {number} to */
function docStart(source, comments, from, to) {
  const last = comments.findLast(({ start, end }) => start >= from && end <= to);
  const isNext = last && /^\s*$/.test(source.slice(last.end, to));
  return isNext && last.value.startsWith('*') && !last.value.includes('@file') ? last.start : to;
}

/**
 * @param {Node} one a specifier of the statement
 * @param {Node} node
 * @param {string} source
 * @param {(specifier: string) => string} place
 * @returns {Link}
 */
function linkOf(one, node, source, place) {
  const isType = node.importKind === 'type' || node.exportKind === 'type';
  const name = one.type === 'ImportNamespaceSpecifier' ? '*' : (one.imported ?? one.local).name;
  const text = source.slice(one.start, one.end);
  return {
    from: place(node.source.value),
    name,
    text: isType && name !== '*' ? `type ${text}` : text,
    isExport: node.type !== 'ImportDeclaration',
    isKept: false,
  };
}

/** @param {Node} declaration @returns {string[]} */
function namesOf(declaration) {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.map((/** @type {Node} */ { id }) => id.name);
  return declaration.id?.name ? [declaration.id.name] : [];
}

/** @param {string} file @param {Declarations} declarations */
function textOf(file, { statements, imports, reexports, stars, exported, needed, declared }) {
  const links = [...imports.values(), ...reexports.values()].filter(({ isKept }) => isKept);
  const kept = statements.filter(({ isKept }) => isKept);
  const keptStars = stars.filter(({ isKept }) => isKept);
  if (links.length + kept.length + keptStars.length === 0) return '';
  const specifier = (/** @type {string} */ from) => {
    const to = path
      .relative(path.dirname(file), from)
      .replaceAll(path.sep, '/')
      .replace(/\.d\.ts$/, '.js');
    return to.startsWith('.') ? to : `./${to}`;
  };
  const lines = [];
  for (const isExport of [false, true]) {
    const named = links.filter((link) => link.isExport === isExport && link.name !== '*');
    for (const from of new Set(named.map((link) => link.from))) {
      const group = named.filter((link) => link.from === from);
      const names = group.map(({ text }) => text).join(', ');
      lines.push(`${isExport ? 'export' : 'import'} { ${names} } from '${specifier(from)}';`);
    }
  }
  for (const { from, text, isExport } of links.filter(({ name }) => name === '*'))
    lines.push(isExport ? text : `import type ${text} from '${specifier(from)}';`);
  lines.push(
    ...keptStars.map(({ text }) => text),
    ...kept.map(({ isPublic, docs, text }) => (isPublic ? docs + text : text)),
  );
  // Without such a statement, every declaration of a file would be exported.
  const separate = [...exported].filter(
    ([name, local]) => needed.has(name) && !isExportedWhereDeclared(name, local, declared),
  );
  const names = separate.map(([name, local]) => (name === local ? name : `${local} as ${name}`));
  lines.push(`export {${names.length > 0 ? ` ${names.join(', ')} ` : ''}};`);
  return `${lines.join('\n')}\n`;
}

/** @param {string} name @param {string} local @param {Declarations['declared']} declared */
function isExportedWhereDeclared(name, local, declared) {
  if (name !== local) return false;
  return Boolean(declared.get(local)?.some(({ text }) => text.startsWith('export ')));
}
