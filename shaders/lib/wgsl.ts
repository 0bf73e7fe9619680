/**
 * @file The template tag of all shaders: WGSL with #if, #elif, #else and #endif, decided by JavaScript values. Fragments may
 * be inserted with any indentation: the tag formats the whole. Shipped code has neither (scripts/lib/shaders.mjs).
 */
import { wgsl as preprocess } from 'wgsl-preprocessor/wgsl-preprocessor.js';

export function wgsl(strings: TemplateStringsArray, ...values: unknown[]): string {
  return layOut(preprocess(strings.map(withoutDirectiveLines), ...values));
}

/** Joins a directive to the line before, unless that is a directive, too, so that it leaves no blank line. */
const withoutDirectiveLines = (text: string) =>
  text.replace(/(#(?:else|endif))?\n[ \t]*(?=#(?:if|elif|else|endif)\b)/g, (all, directive) =>
    directive ? all : '',
  );

/** `text` indented by its brackets, with at most one blank line in a row, and none next to a bracket. */
export function layOut(text: string): string {
  const lines: string[] = [];
  let depth = 0;
  let continues = false;
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    const previous = lines.at(-1);
    const closes = /^[)\]}]/.test(line);
    if (line === '') {
      if (previous !== '' && !opens(previous)) lines.push('');
      continue;
    }
    if (closes && previous === '') lines.pop();
    const extra = continues && !closes ? 1 : 0;
    lines.push('  '.repeat(Math.max(0, depth + extra - leadingClosers(line))) + line);
    depth += bracketBalance(line);
    const code = withoutComment(line);
    if (code !== '') continues = /[-+*/%&|^=]$/.test(code);
  }
  return lines.join('\n');
}

const withoutComment = (line: string) => line.replace(/\/\/.*$|\/\*.*?\*\/|^\/?\*.*$/g, '').trimEnd();

const opens = (line: string | undefined) => line !== undefined && /[{([]$/.test(withoutComment(line));

function bracketBalance(line: string): number {
  const code = withoutComment(line);
  return (code.match(/[{([]/g)?.length ?? 0) - (code.match(/[})\]]/g)?.length ?? 0);
}

function leadingClosers(line: string): number {
  return /^[)\]}]*/.exec(line)?.[0].length ?? 0;
}
