// @ts-check
/**
 * @file The examples of the reference: blocks of code in docs/examples/*.md, one for each export under a heading of its name.
 * The last line of a block is an expression, whose value the reference shows.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Exports whose examples need a page, so that no result is shown. */
export const IN_PAGES = ['callbacks.pageProgress'];

/** Namespaces of retrograd/keras that examples use. */
const NAMESPACES = ['layers', 'losses', 'metrics', 'optimizers', 'callbacks'];
/** Other exports of retrograd/keras that examples use. */
const MODELS = ['input', 'model', 'sequential'];

/** @param {string} root of the repository @returns {Map<string, string>} code by qualified name */
export function readExamples(root) {
  const folder = path.join(root, 'docs', 'examples');
  const examples = new Map();
  for (const file of fs.readdirSync(folder)) {
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    for (const [, name = '', code = ''] of text.matchAll(/^## (\S+)\n\n```js\n([\s\S]*?)\n```$/gm)) {
      if (examples.has(name)) throw new Error(`docs/examples/${file}: '${name}' has two examples`);
      examples.set(name, code);
    }
  }
  return examples;
}

/** Returns whether an export needs an example. @param {string} entry @param {string} name @param {boolean} isOp */
export function needsExample(entry, name, isOp) {
  if (entry === 'retrograd') return isOp;
  const [namespace = '', ...rest] = name.split('.');
  if (entry !== 'retrograd/keras' || !NAMESPACES.includes(namespace)) return false;
  const last = rest.at(-1) ?? '';
  return /^[a-z]/.test(last) && !NO_EXAMPLE.test(name);
}

/** File storages, parameters of base classes, and helpers, for which the docstring is sufficient. */
const NO_EXAMPLE =
  /^callbacks\.sinks\.|^optimizers\.(?:defineStep|optimizerOf|schedules\.scheduleOf)$|^metrics\.metricOf$/;

/** Splits a block into its statements and its last expression. @param {string} code */
export function parts(code) {
  const lines = code.split('\n');
  return { statements: lines.slice(0, -1), expression: (lines.at(-1) ?? '').replace(/;$/, '') };
}

/**
 * Returns the example as a program for the playground. @param {string} code @param {ReadonlySet<string>} exported names of
 * `retrograd`
 */
export function programOf(code, exported) {
  // Names after a dot are properties; names in strings don't matter.
  const words = [...code.matchAll(/(?<![.\w$'])[A-Za-z_$][\w$]*/g)].map(([word]) => word);
  const declared = new Set(
    [...code.matchAll(/\bconst (?:\{ )?\[?(\w+)(?:, (\w+))?/g)].flatMap(([, a, b]) => [a, b]),
  );
  const used = [...new Set(words)].filter((word) => !declared.has(word));
  const keras = used.filter((word) => NAMESPACES.includes(word) || MODELS.includes(word));
  const core = ['init', ...used.filter((word) => exported.has(word) && !keras.includes(word))];
  const { statements, expression } = parts(code);
  return [
    `import { ${core.join(', ')} } from 'retrograd';`,
    ...(keras.length > 0 ? [`import { ${keras.join(', ')} } from 'retrograd/keras';`] : []),
    "import { show } from 'playground';",
    '',
    'await init();',
    ...statements,
    `await show(${expression});`,
    '',
  ].join('\n');
}
