/** @file Numbers as people read them. */

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The mark of an axis: a plain number if it is short, otherwise a power of ten. */
export function tickText(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return plain(value);
  const [digits, power] = value.toExponential().split('e') as [string, string];
  const exponent = [...String(Math.abs(Number(power)))].map((digit) => raised[Number(digit)]).join('');
  return `${digits === '1' ? '' : `${digits}·`}10${power.startsWith('-') ? '⁻' : ''}${exponent}`;
}

/** A value to three digits. */
export function valueText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return plain(value);
  return Number.isFinite(value) ? value.toPrecision(3).replace(/^-/, '−') : String(value);
}

const plain = (value: number) => String(value).replace(/^-/, '−');
