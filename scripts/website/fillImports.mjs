// @ts-check
/** @file Shortens the imports of a displayed program: one name per line would push the program out of view. */

const LIST = /^import \{([^}]*)\} from ('[^']+';)$/gm;

/** Fills the lines of import lists up to `width` characters. @param {string} code @param {number} width */
export function fillImports(code, width) {
  return code.replace(LIST, (_, list, from) => {
    const names = list.trim().replace(/,$/, '').split(/,\s*/);
    const inOne = `import { ${names.join(', ')} } from ${from}`;
    if (inOne.length <= width) return inOne;
    return ['import {', ...filled(names, width), `} from ${from}`].join('\n');
  });
}

/** @param {string[]} names @param {number} width */
function filled(names, width) {
  const lines = ['  '];
  for (const name of names) {
    const last = lines.at(-1) ?? '';
    const longer = `${last}${last === '  ' ? '' : ' '}${name},`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(`  ${name},`);
  }
  return lines;
}
