/** @file Suggestions for misspelt names: "did you mean `keepDims`?" */

/** One spelling of `heNormal`, `he_normal`, `He-Normal` and `HeNormal`. */
export function foldName(name: string): string {
  return name.replace(/[_\-\s]/g, '').toLowerCase();
}

/** The one of `names` that is spelled most like `name`; undefined where none is close. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = foldName(name);
  // A habit of other libraries.
  if (wanted === 'lr') return names.find((candidate) => candidate === 'learningRate');
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of names) {
    const distance = editDistance(wanted, foldName(candidate));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  // Otherwise a part, such as `dilation` of `dilationRate`.
  return nearest ?? names.find((candidate) => isPart(wanted, foldName(candidate)));
}

/** A hint that suggests the nearest of `names`; `otherwise` where none is close. */
export function suggestionFor(name: unknown, names: readonly string[], otherwise: string): string {
  const nearest = typeof name === 'string' && name.length < 64 ? nearestName(name, names) : undefined;
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

function isPart(a: string, b: string): boolean {
  return Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a));
}

/** Insertions, deletions and substitutions of characters (Levenshtein 1966). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
