// @ts-check
/**
 * @file Writes docs/ops.md: one row for each op of src/ops/index.ts, from its definition (inputs, gradient) and its
 * source (docstring, options). Reads the sources as text, which the formatter keeps regular.
 */
import fs from 'node:fs';
import path from 'node:path';

/** @typedef {{ definition?: { inputs: readonly string[], backward: unknown } }} OpLike */
/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} group the comment above the op's export in src/ops/index.ts
 * @property {string} file below src/ops
 * @property {string[]} inputs
 * @property {string[]} options
 * @property {string} about first sentence of the docstring
 * @property {string} shapes
 * @property {boolean} gradient
 */

/**
 * @param {string} root
 * @param {Readonly<Record<string, unknown>>} exported what src/ops/index.ts exports
 * @returns {Row[]} in the order of the table of contents
 * @throws if an op's source or docstring isn't found
 */
export function opRows(root, exported) {
  const [sources, core, kernels] = [
    sourcesOf(path.join(root, 'src/ops')),
    sourcesOf(path.join(root, 'src/core')),
    sourcesOf(path.join(root, 'src/kernels')),
  ];
  const all = [sources, core, kernels].flatMap((files) => [...files.values()]).join('\n');
  const expand = expansionsIn(all);
  return tableOfContents(sources.get('index.ts') ?? '').flatMap(({ name, file, group }) => {
    const { definition } = /** @type {OpLike} */ (exported[name] ?? {});
    if (!definition) return [];
    const { doc, type } = declarationOf(name, sources.get(file) ?? '', file);
    return {
      name,
      group,
      file,
      inputs: definition.inputs.map((input) => input.replace(/:\w+/, '')),
      options: optionsOf(type, all, expand),
      about: firstSentence(doc),
      shapes: shapesOf(doc),
      gradient: definition.backward !== null,
    };
  });
}

/** @param {string} folder @returns {Map<string, string>} file, below the folder and with `/` -> its text */
function sourcesOf(folder) {
  const names = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'));
  return new Map(
    names.map((file) => [file.replaceAll('\\', '/'), fs.readFileSync(path.join(folder, file), 'utf8')]),
  );
}

/** @param {string} index the text of src/ops/index.ts @returns {{ name: string, file: string, group: string }[]} */
function tableOfContents(index) {
  const entries = [];
  let group = 'Core';
  for (const match of index.matchAll(/^\/\/ (.+)$|^export \{([^}]*)\} from '\.\/([^']+)'/gm)) {
    if (match[1]) group = match[1];
    for (const item of (match[2] ?? '').split(',').map((text) => text.trim())) {
      if (item && !item.startsWith('type ')) entries.push({ name: item, file: match[3] ?? '', group });
    }
  }
  return entries;
}

/**
 * Returns the docstring above an exported constant, and the text from its name to its value.
 *
 * @param {string} name
 * @param {string} source
 * @param {string} file
 */
function declarationOf(name, source, file) {
  const local = new RegExp(`\\b(\\w+) as ${name}\\b`).exec(source)?.[1] ?? name;
  const declaration = new RegExp(`\\n(?:export )?const ${local}\\b([^=]*(?:=>[^=]*)*)=`).exec(source);
  const before = source
    .slice(0, declaration?.index ?? 0)
    .replace(/\n(?:\/\/[^\n]*|\/\* @__NO_SIDE_EFFECTS__ \*\/)$/, '');
  const comment = declaration && /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(before);
  if (!declaration || !comment || /@file/.test(comment[1] ?? ''))
    throw new Error(
      `src/ops/${file}: \`export const ${name}\` with a docstring above it is needed for docs/ops.md`,
    );
  const doc = (comment[1] ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
  return { doc, type: declaration[1] ?? '' };
}

/** @param {string} doc */
function firstSentence(doc) {
  const paragraph = doc.split(/\n\s*\n|\n(?=(?:Shapes?|Errors|Gradient|Source)[: ])/)[0] ?? '';
  const text = paragraph.replace(/\s+/g, ' ');
  return /^.*?\.(?=\s[A-Z`]|$)/.exec(text)?.[0] ?? text;
}

/** @param {string} doc */
function shapesOf(doc) {
  const found = /(?:^|\s)Shapes?: ([\s\S]*?)(?:\.(?=\s)|\.?$|\n\s*\n)/.exec(doc);
  return (found?.[1] ?? '').replace(/\s+/g, ' ');
}

/**
 * Returns a function that replaces the name of an op's type by what it stands for. It searches `sources` once for each name:
 * most ops have the same few types.
 *
 * @param {string} sources text of all op files
 * @returns {(alias: string) => string}
 */
function expansionsIn(sources) {
  /** @type {Map<string, string>} */
  const known = new Map();
  return (alias) => {
    const expansion = known.get(alias) ?? expansionOf(alias, sources);
    known.set(alias, expansion);
    return expansion;
  };
}

/** @param {string} alias @param {string} sources */
function expansionOf(alias, sources) {
  const definition = new RegExp(`\\btype ${alias}(?:<[^=]*?>)? =([^;]+);`).exec(sources);
  if (definition && !/^\s*[{'|]/.test(definition[1] ?? '')) return `${alias} ${definition[1]}`;
  // An op with calls of several kinds is an interface.
  const calls = new RegExp(`\\binterface ${alias} \\{\\n {2}\\(([\\s\\S]*?)\\n\\}`).exec(sources);
  return calls ? `${alias} ${calls[1]?.match(/\b\w+Options\b/g)?.join(' ')}` : alias;
}

/**
 * Returns the names of the options in an op's type, through aliases and interfaces.
 *
 * @param {string} type
 * @param {string} sources text of all op files
 * @param {(alias: string) => string} expand
 */
function optionsOf(type, sources, expand) {
  let text = type;
  for (let depth = 0; depth < 3; depth++) text = text.replace(/\b[A-Z]\w+\b/g, expand);
  const inline = [...text.matchAll(/\{([^{}]*)\}/g)].flatMap((match) => fieldsOf(match[1] ?? ''));
  const named = [...new Set(text.match(/\b[A-Z]\w*Options\b/g) ?? [])];
  return [...new Set([...inline, ...named.flatMap((name) => interfaceFields(name, sources))])];
}

/** @param {string} name @param {string} sources @returns {string[]} */
function interfaceFields(name, sources) {
  const found = new RegExp(`\\binterface ${name}(?: extends ([\\w, ]+))? \\{([\\s\\S]*?)\\n\\}`).exec(
    sources,
  );
  if (!found) return [];
  const parents = (found[1] ?? '').split(',').map((parent) => parent.trim());
  const inherited = parents.filter(Boolean).flatMap((parent) => interfaceFields(parent, sources));
  return [...fieldsOf(found[2] ?? ''), ...inherited];
}

/** @param {string} body */
function fieldsOf(body) {
  const code = body.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/(?:^|[;\n{])\s*(?:readonly )?(\w+)\??:/g)].map((match) => match[1] ?? '');
}

/**
 * @param {Row[]} rows
 * @returns {string} the text of docs/ops.md
 */
export function opTable(rows) {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const lines = rows.filter((row) => row.group === group).map(tableRow);
    return `## ${group}\n\n| op | inputs | options | result | gradient |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  const head = [
    '# Ops',
    '',
    'Pass tensors by position and everything else in one options object at the end: `gather(x, indices, { axis: 1 })`. A `?` marks an optional',
    'input, `...` a list of tensors. The name of an op links to its source, which documents its arguments and errors.',
    '',
    `<!-- Written by \`node scripts/op-table.mjs\` from src/ops. -->`,
    '',
  ];
  return `${head.join('\n')}\n${sections.join('\n')}`;
}

/** @param {Row} row */
function tableRow({ name, file, inputs, options, about, shapes, gradient }) {
  /** @param {string[]} names */
  const code = (names) => names.map((text) => `\`${text}\``).join(', ');
  const escaped = [about, shapes && `Shapes: ${shapes}.`].filter(Boolean).join(' ').replaceAll('|', '\\|');
  return `| [\`${name}\`](../src/ops/${file}) | ${code(inputs)} | ${code(options)} | ${escaped} | ${gradient ? 'yes' : '–'} |`;
}
