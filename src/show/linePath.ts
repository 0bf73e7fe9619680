/** @file The path of a line through points. */
import { rounded } from './picture.ts';

/** A place in the picture, or null where the line has a gap. */
export type Place = readonly [x: number, y: number] | null;

/** Points in one column of pixels that are all drawn. */
const perColumn = 4;

/**
 * Returns the line's path. Of more points than four to a pixel, each column keeps its first, lowest, highest and last, so that the
 * text of the path doesn't grow with the number of steps.
 */
export function linePath(places: readonly Place[], width: number): string {
  const kept = places.length > perColumn * width ? thinned(places) : places;
  let path = '';
  let isOpen = false;
  for (const place of kept) {
    if (place) path += `${isOpen ? 'L' : 'M'}${rounded(place[0])} ${rounded(place[1])}`;
    isOpen = place !== null;
  }
  return path;
}

function thinned(places: readonly Place[]): Place[] {
  const kept: Place[] = [];
  let start = 0;
  while (start < places.length) {
    let end = start + 1;
    while (end < places.length && isSameColumn(places[start], places[end])) end++;
    kept.push(...extremes(places, start, end));
    start = end;
  }
  return kept;
}

function isSameColumn(a: Place | undefined, b: Place | undefined): boolean {
  return !a || !b ? a === b : Math.floor(a[0]) === Math.floor(b[0]);
}

function extremes(places: readonly Place[], start: number, end: number): Place[] {
  const indices = new Set([start, end - 1]);
  if (places[start]) {
    const height = (i: number) => (places[i] as NonNullable<Place>)[1];
    let [low, high] = [start, start];
    for (let i = start; i < end; i++) {
      if (height(i) < height(low)) low = i;
      if (height(i) > height(high)) high = i;
    }
    indices.add(low).add(high);
  }
  return [...indices].sort((a, b) => a - b).map((i) => places[i] as Place);
}
