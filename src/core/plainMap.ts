/**
 * @file PlainMap: a bounded map whose keys are plain data (numbers, strings, booleans, lists and records of these), compared by
 * content. Every call looks up what was computed for its sizes before: to serialize them for a Map takes several times as long.
 */

/** Plain data: what JSON holds. Fields that are undefined count as fields. */
export type Plain = string | number | boolean | null | undefined | readonly Plain[] | PlainRecord;
interface PlainRecord {
  readonly [name: string]: Plain;
}

interface Entry<V> {
  readonly key: Plain;
  readonly value: V;
}

export class PlainMap<V> {
  /** By the hash of the key. */
  readonly #entries = new Map<number, Entry<V>[]>();
  #size = 0;

  /** At more than `limit` keys, all are forgotten. */
  constructor(private readonly limit: number) {}

  get size(): number {
    return this.#size;
  }

  get(key: object): V | undefined {
    const found = this.#entries.get(hashOf(key as Plain));
    if (found) for (const entry of found) if (isEqual(entry.key, key as Plain)) return entry.value;
    return undefined;
  }

  /** Sets the value of a key that the map doesn't have. The key is copied. */
  set(key: object, value: V): void {
    if (this.#size >= this.limit) {
      this.#entries.clear();
      this.#size = 0;
    }
    const hash = hashOf(key as Plain);
    const entry = { key: copyOf(key as Plain), value };
    const others = this.#entries.get(hash);
    if (others) others.push(entry);
    else this.#entries.set(hash, [entry]);
    this.#size++;
  }
}

/** Knuth's multiplicative hash. */
const mix = (hash: number, next: number) => Math.imul(hash ^ next, 0x9e3779b1);

/** Levels of lists and records that a hash looks at: keys may be what a caller passed, deep or cyclic. */
const maxHashDepth = 8;

/** A hash of the contents; of strings, only the length and two characters. */
function hashOf(value: Plain, depth = 0): number {
  if (typeof value === 'number') return value | 0;
  if (typeof value === 'string')
    return mix(value.length, (value.charCodeAt(0) << 8) ^ value.charCodeAt(value.length >> 1));
  if (typeof value !== 'object' || value === null) return value === true ? 1 : 2;
  let hash = 3;
  if (depth === maxHashDepth) return hash;
  if (isList(value)) for (let i = 0; i < value.length; i++) hash = mix(hash, hashOf(value[i], depth + 1));
  else for (const name in value) hash = mix(hash, hashOf(value[name], depth + 1));
  return hash;
}

function isEqual(a: Plain, b: Plain): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isList(a)) return isList(b) && areEqualLists(a, b);
  return !isList(b) && areEqualRecords(a, b);
}

function areEqualLists(a: readonly Plain[], b: readonly Plain[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isEqual(a[i], b[i])) return false;
  return true;
}

function areEqualRecords(a: PlainRecord, b: PlainRecord): boolean {
  let more = 0;
  for (const name in a) {
    if (!(name in b) || !isEqual(a[name], b[name])) return false;
    more--;
  }
  for (const _ in b) more++;
  return more === 0;
}

function copyOf(value: Plain): Plain {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyOf(item)]));
}

const isList = (value: object): value is readonly Plain[] => Array.isArray(value);
