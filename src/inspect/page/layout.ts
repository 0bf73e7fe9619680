/**
 * @file Layered drawing of a directed graph, after Sugiyama, Tagawa and Toda (1981): ranks by longest paths, orders by
 * barycentres, positions by relaxation. Edges over several ranks pass through extra points.
 */

export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface Link {
  readonly from: string;
  readonly to: string;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each box. */
  readonly at: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  /** The points of each link, from the lower side of one box to the upper side of the other. */
  readonly routes: readonly {
    readonly link: Link;
    readonly points: readonly (readonly [number, number])[];
  }[];
}

interface Cell {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  x: number;
  readonly up: Cell[];
  readonly down: Cell[];
}

const gapX = 26;
const gapY = 40;
const sweeps = 8;

/** Places `boxes`, which are in topological order; links against the order are drawn, but don't affect ranks. */
export function layOut(boxes: readonly Box[], links: readonly Link[]): Placed {
  const order = new Map(boxes.map(({ id }, i) => [id, i]));
  const forward = links.filter(({ from, to }) => (order.get(from) ?? 0) < (order.get(to) ?? 0));
  const rankOf = ranks(boxes, forward);
  const rows: Cell[][] = [];
  const cells = new Map<string, Cell>();
  const put = (box: Box, rank: number) => {
    const cell = { ...box, x: 0, up: [], down: [] };
    while (rows.length <= rank) rows.push([]);
    rows[rank]?.push(cell);
    return cell;
  };
  for (const box of boxes) cells.set(box.id, put(box, rankOf.get(box.id) ?? 0));
  const chains = forward.map((link) => chain(link, cells, rankOf, put));
  orderRows(rows);
  placeRows(rows);
  return finish(boxes, links, rows, cells, new Map(forward.map((link, i) => [link, chains[i] as Cell[]])));
}

function ranks(boxes: readonly Box[], links: readonly Link[]): Map<string, number> {
  const into = new Map<string, string[]>();
  for (const { from, to } of links) into.set(to, [...(into.get(to) ?? []), from]);
  const rankOf = new Map<string, number>();
  for (const { id } of boxes) {
    const above = (into.get(id) ?? []).map((from) => (rankOf.get(from) ?? 0) + 1);
    rankOf.set(id, Math.max(0, ...above));
  }
  // Sources are placed right above their readers, not at the top.
  for (const { id } of boxes.toReversed()) {
    if (into.has(id)) continue;
    const below = links.filter(({ from }) => from === id).map(({ to }) => (rankOf.get(to) ?? 1) - 1);
    if (below.length > 0) rankOf.set(id, Math.max(0, Math.min(...below)));
  }
  return rankOf;
}

/** Returns the cells of a link, with extra points in the ranks between. */
function chain(
  { from, to }: Link,
  cells: ReadonlyMap<string, Cell>,
  rankOf: ReadonlyMap<string, number>,
  put: (box: Box, rank: number) => Cell,
): Cell[] {
  const made = [cells.get(from) as Cell];
  for (let rank = (rankOf.get(from) ?? 0) + 1; rank < (rankOf.get(to) ?? 0); rank++)
    made.push(put({ id: '', width: 10, height: 0 }, rank));
  made.push(cells.get(to) as Cell);
  for (let i = 1; i < made.length; i++) {
    made[i - 1]?.down.push(made[i] as Cell);
    made[i]?.up.push(made[i - 1] as Cell);
  }
  return made;
}

/** Orders each rank by the mean position of its neighbours in the next. */
function orderRows(rows: Cell[][]): void {
  const number = () => {
    for (const row of rows)
      row.forEach((cell, i) => {
        cell.x = i;
      });
  };
  number();
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      const wish = new Map(
        row.map((cell) => [cell, mean((isDown ? cell.up : cell.down).map(({ x }) => x)) ?? cell.x]),
      );
      row.sort((a, b) => (wish.get(a) as number) - (wish.get(b) as number));
      row.forEach((cell, i) => {
        cell.x = i;
      });
    }
  }
}

/** Moves cells towards their neighbours, without changing the order. `x` is the centre. */
function placeRows(rows: Cell[][]): void {
  for (const row of rows)
    spread(
      row,
      row.map(() => 0),
    );
  for (let sweep = 0; sweep < 2 * sweeps; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      spread(
        row,
        row.map((cell) => mean((isDown ? cell.up : cell.down).map(({ x }) => x)) ?? cell.x),
      );
    }
  }
}

/** Puts the cells of a row at their preferred positions if there is room, otherwise close to them. */
function spread(row: readonly Cell[], wishes: readonly number[]): void {
  const distance = (i: number) => ((row[i - 1]?.width ?? 0) + (row[i]?.width ?? 0)) / 2 + gapX;
  const right: number[] = [];
  const left: number[] = [];
  for (let i = 0; i < row.length; i++) {
    const wish = wishes[i] as number;
    right[i] = i === 0 ? wish : Math.max(wish, (right[i - 1] as number) + distance(i));
  }
  for (let i = row.length - 1; i >= 0; i--)
    left[i] =
      i === row.length - 1
        ? (wishes[i] as number)
        : Math.min(wishes[i] as number, (left[i + 1] as number) - distance(i + 1));
  row.forEach((cell, i) => {
    cell.x = ((left[i] as number) + (right[i] as number)) / 2;
  });
}

function finish(
  boxes: readonly Box[],
  links: readonly Link[],
  rows: readonly Cell[][],
  cells: ReadonlyMap<string, Cell>,
  chains: ReadonlyMap<Link, readonly Cell[]>,
): Placed {
  const all = rows.flat();
  const min = Math.min(0, ...all.map(({ x, width }) => x - width / 2));
  const heights = rows.map((row) => Math.max(0, ...row.map(({ height }) => height)));
  const tops: number[] = [];
  let y = 0;
  for (const height of heights) {
    tops.push(y);
    y += height + gapY;
  }
  const middle = new Map<Cell, { x: number; top: number; bottom: number }>();
  rows.forEach((row, rank) => {
    const [top = 0, height = 0] = [tops[rank], heights[rank]];
    for (const cell of row) {
      const isPoint = cell.id === '';
      const from = isPoint ? top : top + (height - cell.height) / 2;
      middle.set(cell, { x: cell.x - min, top: from, bottom: isPoint ? top + height : from + cell.height });
    }
  });
  const placeOf = (id: string) =>
    middle.get(cells.get(id) as Cell) as { x: number; top: number; bottom: number };
  const routes = links.map((link) => {
    const through = chains.get(link);
    const [from, to] = [placeOf(link.from), placeOf(link.to)];
    const between = (through ?? []).slice(1, -1).flatMap((cell): [number, number][] => {
      const { x, top, bottom } = middle.get(cell) as { x: number; top: number; bottom: number };
      return [
        [x, top],
        [x, bottom],
      ];
    });
    const points: [number, number][] = [[from.x, from.bottom], ...between, [to.x, to.top]];
    return { link, points };
  });
  const at = new Map(
    boxes.map(({ id, width }) => {
      const { x, top } = placeOf(id);
      return [id, { x: x - width / 2, y: top }];
    }),
  );
  const width = Math.max(0, ...all.map((cell) => cell.x + cell.width / 2)) - min;
  return { width, height: Math.max(0, y - gapY), at, routes };
}

function mean(values: readonly number[]): number | null {
  return values.length > 0 ? values.reduce((a, b) => a + b, 0) / values.length : null;
}
