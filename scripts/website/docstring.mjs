// @ts-check
/** @file Splits a docstring into its text and its labelled parts (shapes, dtypes, errors, …). */

/** Names of labels on a page. @type {readonly (readonly [RegExp, string])[]} */
const LABELS = [
  [/^Shapes?: /, 'Shapes'],
  [/^Dtypes?: /i, 'Dtypes'],
  [/^Weights: /, 'Weights'],
  [/^Errors?: /, 'Errors'],
  [/^Throws:? /, 'Errors'],
  [/^Gradients?: /, 'Gradient'],
  [/^Sources?: /, 'Source'],
];

/**
 * @param {string} doc
 * @returns {{ text: string, facts: { label: string, text: string }[] }} facts in the order of the docstring
 */
export function docParts(doc) {
  /** @type {{ label: string, text: string }[]} */
  const facts = [];
  /** @type {string[]} */
  const text = [];
  /** @type {{ label: string, text: string } | null} */
  let current = null;
  for (const line of splitLabels(doc)) {
    const label = LABELS.find(([pattern]) => pattern.test(line));
    if (label) {
      current = { label: label[1], text: line.replace(label[0], '') };
      facts.push(current);
    } else if (line.trim() === '') {
      current = null;
      text.push('');
    } else if (current) current.text += `\n${line}`;
    else text.push(line);
  }
  return { text: text.join('\n').trim(), facts };
}

/** Lines, with a break before a label that follows a sentence. @param {string} doc */
const splitLabels = (doc) => doc.replace(/(?<=[.:;)]) (?=(?:Shapes?|Errors?|Weights): )/g, '\n').split('\n');

/** Returns the first sentence, for lists and search. @param {string} doc */
export function summaryOf(doc) {
  const paragraph = (docParts(doc).text.split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' ');
  return /^.*?[.:](?=\s[A-Z`]|$)/.exec(paragraph)?.[0] ?? paragraph;
}
