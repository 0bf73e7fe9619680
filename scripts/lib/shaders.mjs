// @ts-check
/**
 * @file Compiles shaders for shipping: `#if ${…}` becomes a conditional expression instead of the preprocessor, and WGSL
 * loses comments and unnecessary spaces. The tokens and their order stay the same.
 *
 * WGSL is the content of templates tagged `wgsl`, and in files of `shaders/` every template that has a line break or ends
 * with a semicolon.
 */
import MagicString from 'magic-string';
import { parseSync } from 'vite';

/** A separate character for each expression of a template, which represents any text. */
const firstHole = 0xe000;
const isHole = (/** @type {string} */ char) => char >= '\ue000' && char <= '\uf8ff';

/** Characters that can't form a token together with a neighbour. */
const APART = '{}()[];,';
const OPERATORS = '+-*/%&|^~<>=!:?.@';
/** Operators that can't form another token with the text of an expression, which may begin with `-`, `&`, `*` or `/`. */
const BEFORE_HOLE = '+%^<>=!:';
/** Characters that can't form a token with the text of an expression before them, which may end with `>`, so `=` isn't one. */
const AFTER_HOLE = `${APART}+-*/%&|^<!:?`;

/** Returns `text` without comments. @param {string} text */
function withoutComments(text) {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (comment) => (comment.startsWith('//') ? '' : ' '));
}

/**
 * Returns `text`, which has no comments, without unnecessary spaces. `before` and `after` are the texts on both sides; empty if
 * unknown.
 *
 * @param {string} text
 */
export function squeeze(text, before = '', after = '') {
  const dense = text.replace(/\s+/g, (space, /** @type {number} */ at) =>
    between(text[at - 1] ?? before, space, text[at + space.length] ?? after),
  );
  return dense.replace(/,(?=[)\]])/g, '');
}

/**
 * Returns what remains of `space` between two characters. After the text of an expression, or unknown text, a line break remains:
 * that text may end with a comment.
 *
 * @param {string} before
 * @param {string} space
 * @param {string} after
 */
function between(before, space, after) {
  const kept = space.includes('\n') ? '\n' : ' ';
  if (before === '') return kept;
  if (isHole(before)) return kept === ' ' && after !== '' && AFTER_HOLE.includes(after) ? '' : kept;
  if (APART.includes(before)) return '';
  if (after === '') return kept;
  if (isHole(after)) return BEFORE_HOLE.includes(before) ? '' : kept;
  if (APART.includes(after)) return '';
  // Two operators could become one, as two words would.
  return OPERATORS.includes(before) === OPERATORS.includes(after) ? ' ' : '';
}

/**
 * Returns a module with its shaders compiled, or null if it has none. Errors: SyntaxError.
 *
 * @param {string} code TypeScript
 * @param {string} file its path, with `/`
 */
export function compileShaders(code, file) {
  if (!code.includes('`')) return null;
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  const module = { code, file, everyTemplate: /(^|\/)shaders\//.test(file) };
  const edited = new MagicString(code);
  for (const { start, end, text } of replacements(program, module)) {
    if (text) edited.overwrite(start, end, text);
    else edited.remove(start, end);
  }
  return edited.hasChanged() ? edited : null;
}

/** @typedef {{ code: string, file: string, everyTemplate: boolean }} Module */

/**
 * Replacements for the outermost shaders inside `node`, compiled, and for imports that are no longer needed.
 *
 * @param {any} node
 * @param {Module} module
 * @returns {{ start: number, end: number, text: string }[]}
 */
function replacements(node, module) {
  if (Array.isArray(node)) return node.flatMap((item) => replacements(item, module));
  if (typeof node !== 'object' || node === null) return [];
  const { type, start, end } = node;
  if (type === 'ImportDeclaration' && node.source.value.endsWith('/wgsl.ts'))
    return [{ start, end, text: '' }];
  if (type === 'TaggedTemplateExpression' && node.tag.name === 'wgsl')
    return [{ start, end, text: compileTemplate(node.quasi, module) }];
  const isShader =
    type === 'TemplateLiteral' &&
    module.everyTemplate &&
    holdsStatements(node.quasis.map((/** @type {any} */ quasi) => quasi.value.raw));
  if (isShader) return [{ start, end, text: compileTemplate(node, module) }];
  return Object.values(node).flatMap((child) => replacements(child, module));
}

/**
 * Returns whether a template with these texts is WGSL in a file of shaders: if it has several lines, or is a statement.
 *
 * @param {readonly string[]} texts
 */
export function holdsStatements(texts) {
  return texts.some((text) => text.includes('\n')) || texts.at(-1)?.endsWith(';') === true;
}

/**
 * @param {any} template
 * @param {Module} module
 */
function compileTemplate(template, module) {
  const { quasis, expressions } = template;
  const hole = (/** @type {number} */ i) =>
    i < expressions.length ? String.fromCharCode(firstHole + i) : '';
  const whole = quasis
    .map((/** @type {any} */ quasi, /** @type {number} */ i) => quasi.value.raw + hole(i))
    .join('');
  const text = resolveDirectives(withoutComments(whole), (message) => {
    throw new SyntaxError(
      `${module.file}:${module.code.slice(0, template.start).split('\n').length}: ${message}`,
    );
  });
  const filled = text.replace(/[\ue000-\uf8ff]/g, (char) => {
    const expression = expressions[char.charCodeAt(0) - firstHole];
    return textOf(expression, module);
  });
  return `\`${filled}\``;
}

/** Returns an expression with the shaders inside it compiled. @param {any} expression @param {Module} module */
function textOf(expression, module) {
  const { start, end } = expression;
  const edited = new MagicString(module.code.slice(start, end), { offset: -start });
  for (const inner of replacements(expression, module)) edited.overwrite(inner.start, inner.end, inner.text);
  return edited.toString();
}

/**
 * Returns the content of a template with conditional expressions instead of directives, squeezed.
 *
 * @param {string} text with holes
 * @param {(message: string) => never} reject
 */
function resolveDirectives(text, reject) {
  // `open` holds for each #if that isn't closed: the text before its branches, and whether it had its #else.
  /** @type {{ before: string, closing: string }[]} */
  const open = [];
  let before = '';
  let out = '';
  const parts = text.split(/#(if|elif|else|endif)\b/);
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 1) continue;
    const directive = at > 0 ? parts[at - 1] : null;
    const innermost = open.at(-1);
    let body = part;
    if (directive === 'if' || directive === 'elif') {
      const [, condition, rest = ''] = /^\s*([\ue000-\uf8ff])([\s\S]*)$/.exec(part) ?? [];
      if (!condition) return reject(`#${directive} is followed by \${a condition}`);
      if (directive === 'if') {
        open.push({ before, closing: '`:``}' });
        out += `\${(${condition})?\``;
      } else {
        if (innermost?.closing !== '`:``}') return reject('#elif without #if');
        out += `\`:(${condition})?\``;
        before = innermost.before;
      }
      body = rest;
    } else if (directive === 'else') {
      if (innermost?.closing !== '`:``}') return reject('#else without #if');
      innermost.closing = '`}';
      out += '`:`';
      before = innermost.before;
    } else if (directive === 'endif') {
      if (!innermost) return reject('#endif without #if');
      open.pop();
      out += innermost.closing;
      before = '';
    }
    if (/[\\`]/.test(body)) return reject('a shader has neither escapes nor backticks');
    const dense = squeeze(body, before);
    out += dense.replace(/[\ue000-\uf8ff]/g, (hole) => `\${${hole}}`);
    before = dense.at(-1) ?? before;
  }
  if (open.length > 0) return reject('#if without #endif');
  return out;
}
