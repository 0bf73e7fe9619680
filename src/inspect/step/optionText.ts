/** @file Options of ops and kernels as a line of text. */

/** `strides: 2, padding: same`. */
export function optionText(options: object): string {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && typeof value !== 'function')
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(', ');
}

/** Returns the relevant options of a kernel: those that are false, null or empty are left out. */
export function variantText(options: object): string {
  return Object.entries(options)
    .filter(([, value]) => value !== false && value !== null && value !== undefined && !isEmpty(value))
    .map(([name, value]) => (value === true ? name : `${name}: ${valueText(value)}`))
    .join(', ');
}

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);

const longest = 160;

function valueText(value: unknown): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
  const plain = text.replaceAll('"', '');
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain;
}
