/**
 * @file The layout of a graph's nodes: in rows by depth, in an order with few edge crossings, near their inputs. Edges that
 * pass rows get a slot in each. After Sugiyama, Tagawa and Toda, Methods for visual understanding of hierarchical system
 * structures, 1981.
 */

export interface Box {
  id: string;
  width: number;
  height: number;
}

export interface Placed extends Box {
  /** Position of the middle of its upper edge. */
  x: number;
  y: number;
}

export interface Route {
  from: string;
  to: string;
  points: readonly (readonly [number, number])[];
}

export interface Layout {
  width: number;
  height: number;
  boxes: ReadonlyMap<string, Placed>;
  routes: readonly Route[];
}

interface Slot extends Placed {
  up: Slot[];
  down: Slot[];
  row: number;
}

const gap = { across: 22, down: 34 };

export function layOut(boxes: readonly Box[], edges: readonly { from: string; to: string }[]): Layout {
  const slots = new Map<string, Slot>(
    boxes.map((box) => [box.id, { ...box, x: 0, y: 0, up: [], down: [], row: 0 }]),
  );
  const known = edges.filter(({ from, to }) => slots.has(from) && slots.has(to));
  setRows(boxes, known, slots);
  const depth = Math.max(...[...slots.values()].map(({ row }) => row)) + 1;
  const rows: Slot[][] = Array.from({ length: depth }, () => []);
  for (const slot of slots.values()) rows[slot.row]!.push(slot);
  const chains = known.map(({ from, to }) => ({
    from,
    to,
    chain: link(slots.get(from)!, slots.get(to)!, rows),
  }));
  for (let sweep = 0; sweep < 4; sweep++) {
    for (const row of rows) order(row, 'up');
    for (const row of [...rows].reverse()) order(row, 'down');
  }
  let y = 0;
  for (const row of rows) {
    const height = Math.max(...row.map((slot) => slot.height));
    for (const slot of row) slot.y = y + (height - slot.height) / 2;
    y += height + gap.down;
    spread(row);
  }
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const row of rows) settle(row, 'up');
    for (const row of [...rows].reverse()) settle(row, 'down');
  }
  for (const row of rows) settle(row, 'up');
  const all = rows.flat();
  const left = Math.min(...all.map((slot) => slot.x - slot.width / 2));
  const right = Math.max(...all.map((slot) => slot.x + slot.width / 2));
  for (const slot of all) slot.x -= left;
  const routes = chains.map(({ from, to, chain }) => ({ from, to, points: chain.flatMap(pointsThrough) }));
  return { width: right - left, height: y - gap.down, boxes: slots, routes };
}

/** A node is placed below all of its inputs; a node without inputs right above its first use. */
function setRows(
  boxes: readonly Box[],
  edges: readonly { from: string; to: string }[],
  slots: Map<string, Slot>,
) {
  const into = new Map<string, string[]>();
  const outOf = new Map<string, string[]>();
  for (const { from, to } of edges) {
    into.set(to, [...(into.get(to) ?? []), from]);
    outOf.set(from, [...(outOf.get(from) ?? []), to]);
  }
  // Every node comes after those that it depends on, so one pass is enough.
  for (const { id } of boxes) {
    const above = (into.get(id) ?? []).map((from) => slots.get(from)!.row + 1);
    slots.get(id)!.row = Math.max(0, ...above);
  }
  for (const { id } of boxes) {
    const uses = (outOf.get(id) ?? []).map((to) => slots.get(to)!.row);
    if (!into.has(id) && uses.length > 0) slots.get(id)!.row = Math.min(...uses) - 1;
  }
}

/** Links two slots, with an extra slot in every row between them. */
function link(from: Slot, to: Slot, rows: Slot[][]): Slot[] {
  const chain = [from];
  for (let row = from.row + 1; row < to.row; row++) {
    const slot: Slot = { id: '', width: 10, height: 0, x: 0, y: 0, up: [], down: [], row };
    rows[row]!.push(slot);
    chain.push(slot);
  }
  chain.push(to);
  for (let i = 1; i < chain.length; i++) {
    chain[i - 1]!.down.push(chain[i]!);
    chain[i]!.up.push(chain[i - 1]!);
  }
  return chain;
}

/** Orders a row by the average position of neighbours in their row. */
function order(row: Slot[], side: 'up' | 'down'): void {
  const place = new Map(row.map((slot, i) => [slot, average(slot[side].map((other) => other.x)) ?? i]));
  row.sort((a, b) => place.get(a)! - place.get(b)!);
  row.forEach((slot, i) => {
    slot.x = i;
  });
}

function spread(row: Slot[]): void {
  let x = 0;
  for (const slot of row) {
    slot.x = x + slot.width / 2;
    x += slot.width + gap.across;
  }
}

/** Moves each towards the middle of its linked slots, as far as the slots next to it allow. */
function settle(row: Slot[], side: 'up' | 'down'): void {
  for (const slot of row) slot.x = average(slot[side].map((other) => other.x)) ?? slot.x;
  const apart = (a: Slot, b: Slot) => (a.width + b.width) / 2 + gap.across;
  const from = row.map((slot) => slot.x);
  for (let i = 1; i < row.length; i++)
    row[i]!.x = Math.max(row[i]!.x, row[i - 1]!.x + apart(row[i - 1]!, row[i]!));
  // Shifts the row back by the mean displacement to the right, so that rows stay centred.
  const pushed = average(row.map((slot, i) => slot.x - from[i]!)) ?? 0;
  for (const slot of row) slot.x -= pushed;
}

const average = (values: readonly number[]) =>
  values.length > 0 ? values.reduce((a, b) => a + b, 0) / values.length : null;

function pointsThrough(slot: Slot, i: number, chain: Slot[]): (readonly [number, number])[] {
  if (i === 0) return [[slot.x, slot.y + slot.height]];
  if (i === chain.length - 1) return [[slot.x, slot.y]];
  return [[slot.x, slot.y]];
}
