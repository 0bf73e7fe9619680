// @ts-check
/** @file Checks the kernel and the options given by a user: unknown ones are errors with a suggestion. */

/** @typedef {{ [name: string]: unknown }} Options */

/** @typedef {import('./catalog.ts').CatalogEntry} CatalogEntry */

export class OptionError extends Error {}

/**
 * @param {Readonly<Record<string, Readonly<Record<string, CatalogEntry>>>>} catalog by family and name
 * @param {string} name
 * @returns {CatalogEntry}
 */
export function findKernel(catalog, name) {
  const kernels = new Map(Object.values(catalog).flatMap((family) => Object.entries(family)));
  const found = kernels.get(name);
  if (!found)
    throw new OptionError(`there is no kernel '${name}'. ${hint(name, [...kernels.keys()], 'Kernels')}`);
  return found;
}

/** @param {string} text @returns {unknown} */
export function parseOptions(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new OptionError(`the options must be JSON, such as '{"width": 4}'. Received: ${text}`);
  }
}

/**
 * Returns `defaults`, overridden by the options of `given`. Tables of options, such as a tile, are merged.
 *
 * @param {string} kernel for messages
 * @param {Options} defaults
 * @param {unknown} given
 * @param {string} [inside] the table that these options belong to
 * @returns {Options}
 */
export function withOptions(kernel, defaults, given, inside = '') {
  if (!isTable(given)) {
    const what = inside ? `option '${inside}' of '${kernel}'` : `the options of '${kernel}'`;
    throw new OptionError(`${what} must be a JSON object. Received: ${JSON.stringify(given)}.`);
  }
  const merged = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) {
      const path = inside ? `${inside}.${name}` : name;
      throw new OptionError(
        `kernel '${kernel}' has no option '${path}'. ${hint(name, Object.keys(defaults), 'Its options')}`,
      );
    }
    const before = defaults[name];
    merged[name] = isTable(before) ? withOptions(kernel, before, value, name) : value;
  }
  return merged;
}

/** @param {unknown} value @returns {value is Options} */
function isTable(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * 'Did you mean …?', or the list of all names.
 *
 * @param {string} received
 * @param {readonly string[]} known
 * @param {string} what
 */
function hint(received, known, what) {
  const simple = (/** @type {string} */ text) => text.toLowerCase().replaceAll(/[\s_-]/g, '');
  const wanted = simple(received);
  const [closest] = known
    .map((name) => ({ name, distance: editDistance(wanted, simple(name)) }))
    .sort((a, b) => a.distance - b.distance);
  if (closest && closest.distance <= Math.max(2, wanted.length / 3)) return `Did you mean '${closest.name}'?`;
  const containing = known.filter((name) => simple(name).includes(wanted));
  if (containing.length > 0) return `Did you mean ${containing.map((name) => `'${name}'`).join(' or ')}?`;
  return `${what}: ${known.join(', ') || 'none'}.`;
}

/**
 * Levenshtein's distance.
 *
 * @param {string} a
 * @param {string} b
 */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = /** @type {number} */ (row[j - 1]) + Number(a[i - 1] !== b[j - 1]);
      next.push(
        Math.min(replaced, /** @type {number} */ (row[j]) + 1, /** @type {number} */ (next[j - 1]) + 1),
      );
    }
    row = next;
  }
  return /** @type {number} */ (row[b.length]);
}
