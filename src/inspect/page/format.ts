/** @file Formats numbers for the page. */

/** Three significant digits. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace('e+', 'e').replace('-', '−');
  return String(Number(value.toPrecision(3))).replace('-', '−');
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytesText(bytes: number): string {
  const unit = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** unit).toPrecision(3))} ${units[unit]}`;
}

export function timeText(milliseconds: number): string {
  if (milliseconds >= 1000) return `${short(milliseconds / 1000)} s`;
  return milliseconds >= 1 ? `${short(milliseconds)} ms` : `${short(1000 * milliseconds)} µs`;
}

export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (100 * part) / whole : 0;
  return `${share > 0 && share < 0.1 ? '<0.1' : Number(share.toPrecision(share >= 99.95 ? 4 : 2))} %`;
}

export function specText({
  dtype,
  shape,
}: {
  readonly dtype: string;
  readonly shape: readonly number[];
}): string {
  return `${dtype === 'float32' ? '' : `${dtype} `}[${shape.join(', ')}]`;
}

/** GFLOP per second; null if either is unknown. */
export function speed(flops: number | null, milliseconds: number): number | null {
  return flops === null || milliseconds <= 0 ? null : flops / (1e6 * milliseconds);
}
