/** @file The number of tapes that hold what they recorded, for `memory()`. Tapes themselves belong to a higher layer. */

let open = 0;

export function openTapes(): number {
  return open;
}

export function countTape(change: 1 | -1): void {
  open += change;
}
