/**
 * @file Lines divided into groups of elements, one per invocation. The last group of a line starts earlier instead of running past
 * the end, so that lines may have any length of at least a group: some elements are computed twice.
 */

/**
 * Returns WGSL that finds the group of the invocation `index`: its `line`, and as `start` its first element in the line. `length`
 * is the length of a line, `size` that of a group; `params.groups` is the number of groups of a line.
 */
export const groupOfLine = (index: string, start: string, length: string, size: number): string =>
  `let unit = ${index};
  let line = unit / params.groups;
  let ${start} = min((unit - line * params.groups) * ${size}u, ${length} - ${size}u);`;
