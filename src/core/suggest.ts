/** @file Suggestions for misspelt names: "did you mean `keepDims`?" */

/** Returns a canonical spelling, the same for `heNormal`, `he_normal`, `He-Normal` and `HeNormal`. */
export function foldName(name: string): string {
  return name.replace(/[_\-\s]/g, '').toLowerCase();
}

/** Returns the canonical spelling of a name; other values are returned unchanged. */
export function foldedName(value: unknown): unknown {
  return typeof value === 'string' ? foldName(value) : value;
}

/** Names of options in other libraries, in canonical spelling, with their names here. */
const usualNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['alpha', ['negativeSlope', 'rho']],
  ['axes', ['axis', 'perm']],
  ['betas', ['beta1']],
  ['bias', ['useBias']],
  ['boolean', ['bool']],
  ['dilations', ['dilationRate']],
  ['dim', ['axis']],
  ['dims', ['axis', 'perm']],
  ['double', ['float32']],
  ['eps', ['epsilon']],
  ['hiddensize', ['units']],
  ['int64', ['int32']],
  ['kernelsize', ['poolSize']],
  ['lr', ['learningRate']],
  ['multiples', ['reps']],
  ['numclasses', ['depth']],
  ['outchannels', ['filters']],
  ['outfeatures', ['units']],
  ['p', ['rate']],
  ['scalefactor', ['size']],
  ['sigma', ['stddev']],
  ['std', ['stddev']],
  ['stop', ['end']],
]);

/** Returns the entry of `names` closest to `name` in spelling; undefined if none is close. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = foldName(name);
  const usual = usualNames.get(wanted)?.find((candidate) => names.includes(candidate));
  if (usual !== undefined && !names.some((known) => foldName(known) === wanted)) return usual;
  let nearest: string | undefined;
  let min = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of names) {
    const distance = editDistance(wanted, foldName(candidate));
    if (distance >= min) continue;
    min = distance;
    nearest = candidate;
  }
  // Otherwise a name that contains it, such as `dilationRate` for `dilation`.
  return nearest ?? names.find((candidate) => isPart(wanted, foldName(candidate)));
}

/** Returns the entry of `names` that `name` probably misspells: at most two edits away. */
export function misspeltName(name: string, names: readonly string[]): string | undefined {
  const wanted = foldName(name);
  return names.find((known) => known !== name && editDistance(wanted, foldName(known)) <= 2);
}

/** Returns a hint that suggests the nearest of `names`; `otherwise` if none is close. */
export function suggestionFor(name: unknown, names: readonly string[], otherwise: string): string {
  const nearest = typeof name === 'string' && name.length < 64 ? nearestName(name, names) : undefined;
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

function isPart(a: string, b: string): boolean {
  return Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a));
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      row.push(Math.min(at(i - 1, j - 1) + (isSame ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.length, b.length);
}
