/** @file Cuts the tokens of texts to a length, as the package `tokenizers` does. */

type Tokens = readonly number[];

interface Cut {
  readonly truncate?: 'longestFirst' | 'onlyFirst' | 'onlySecond' | undefined;
  readonly truncationSide?: 'right' | 'left' | undefined;
  readonly stride?: number | null | undefined;
}

/**
 * Parts of at most `length` tokens, each of which begins with the last `stride` tokens of the one before; without a stride the first
 * alone, or with `truncationSide` 'left' the last.
 */
export function partsOf(tokens: Tokens, length: number, { truncationSide, stride = null }: Cut): Tokens[] {
  if (tokens.length <= length) return [tokens];
  if (truncationSide === 'left') return [tokens.slice(tokens.length - length)];
  if (stride === null) return [tokens.slice(0, length)];
  const step = length - stride;
  const parts: Tokens[] = [];
  for (let at = 0; parts.length === 0 || at - step + length < tokens.length; at += step)
    parts.push(tokens.slice(at, at + length));
  return parts;
}

/** Parts of a pair that have at most `length` tokens together. null for a text that has no room. */
export function cutPair(
  first: Tokens,
  second: Tokens,
  length: number,
  options: Cut,
): (readonly [Tokens, Tokens])[] | null {
  const { truncate = 'longestFirst' } = options;
  if (first.length + second.length <= length) return [[first, second]];
  if (truncate === 'longestFirst') {
    const [a, b] = longestFirst(first.length, second.length, length);
    const only = { ...options, stride: null };
    return [[partsOf(first, a, only)[0] as Tokens, partsOf(second, b, only)[0] as Tokens]];
  }
  const isFirst = truncate === 'onlyFirst';
  const room = length - (isFirst ? second : first).length;
  if (room < 1 || (options.stride ?? 0) >= room) return null;
  const parts = partsOf(isFirst ? first : second, room, options);
  return parts.map((part) => (isFirst ? [part, second] : [first, part]));
}

/** The shorter text stays whole as long as it has less than half. */
function longestFirst(first: number, second: number, length: number): readonly [number, number] {
  const shorter = Math.min(first, second);
  const isHalf = 2 * shorter > length;
  const small = isHalf ? Math.floor(length / 2) : shorter;
  return first > second ? [length - small, small] : [small, length - small];
}
