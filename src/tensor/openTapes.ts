/** @file The number of tapes that hold what they recorded, for `memory()`. Tapes themselves belong to a higher layer. */

let open = 0;

export function openTapes(): number {
  return open;
}

export function countTape(change: 1 | -1): void {
  open += change;
  // So many were forgotten, and each step of a loop takes longer than the one before.
  if (open === 100) console.warn('retrograd: 100 open tapes record each op. `using` closes them.');
}
