/** @file Training data: the tokens of a text as rows of equal length, each with the tokens that follow. */
import { type Tensor, tensor } from 'retrograd';

/** Tokens in a row. */
const longest = 64;
/** One row of so many is held back, at the end of the text. */
const held = 8;

export interface Rows {
  /** int32 [rows, length]. */
  readonly x: Tensor;
  /** int32 [rows, length]: the token after each. */
  readonly y: Tensor;
}

export interface Split {
  readonly learned: Rows;
  /** What the network isn't shown; null for a short text. */
  readonly heldBack: Rows | null;
}

/** Splits a text. Errors: Error for one without two tokens. */
export function rowsOf(tokens: readonly number[]): Split {
  if (tokens.length < 2) throw new Error('Write or paste a text to learn: a page or two is enough.');
  const length = Math.min(longest, tokens.length - 1);
  // The last row ends where the text does, so that no token is left out.
  const count = Math.ceil((tokens.length - 1) / length);
  const starts = Array.from({ length: count }, (_, i) => Math.min(i * length, tokens.length - 1 - length));
  const kept = count - Math.floor(count / held);
  return {
    learned: rowsAt(tokens, starts.slice(0, kept), length),
    heldBack: kept < count ? rowsAt(tokens, starts.slice(kept), length) : null,
  };
}

function rowsAt(tokens: readonly number[], starts: readonly number[], length: number): Rows {
  const cut = (shift: number) =>
    tensor(
      starts.map((start) => tokens.slice(start + shift, start + shift + length)),
      { dtype: 'int32' },
    );
  return { x: cut(0), y: cut(1) };
}
