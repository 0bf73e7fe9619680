/** @file parsePattern: what repeats in a regular expression, and which characters it takes, as far as `patternFault` asks. */

/** Those of a sample of characters of each kind. */
export type Characters = ReadonlySet<string>;

/** A class of characters or a group, with its quantifier. */
export interface Item {
  /** None for a group. */
  readonly characters: Characters;
  /** Null for a class. */
  readonly group: Alternatives | null;
  /** Whether it is taken without a limit. */
  readonly isRepeated: boolean;
  /** Whether it may take nothing. */
  readonly isOptional: boolean;
}

export type Sequence = readonly Item[];
export type Alternatives = readonly Sequence[];

/** Deeper than any that tokenizers have, and far below the limit of recursion. */
const maxDepth = 50;
/** More repetitions than these count as any number. */
const manyTimes = 100;

/** Returns null for one whose brackets aren't closed, or that nests too deeply. */
export function parsePattern(pattern: string): Alternatives | null {
  const parser = new Parser(pattern);
  const parsed = parser.alternatives(0);
  return parser.isAtEnd ? parsed : null;
}

const none: Characters = new Set();

const patterns = {
  /** The beginning of a group: what it captures, looks at, or with which flags. */
  group: /\((?:\?(?:[:=!>|]|<[=!]|P?<\w+>|[\w-]*:|[\w-]+(?=\))))?/y,
  /** What takes no character. */
  place: /[\^$]|\\[bBAzZG]/y,
  class: /\[\^?\]?/y,
  escape: /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[\s\S])/uy,
  quantifier: /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})[?+]?/y,
  character: /[^()|]/uy,
} as const;

class Parser {
  #at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.#at === this.text.length;
  }

  alternatives(depth: number): Alternatives {
    const found: Item[][] = [[]];
    for (;;) {
      if (this.#take('|')) found.push([]);
      const item = this.#item(depth);
      if (item) (found.at(-1) as Item[]).push(item);
      else if (this.text[this.#at] !== '|') return found;
    }
  }

  /** Null at the end of a group, and where the pattern can't be read. */
  #item(depth: number): Item | null {
    if (this.#match(patterns.place)) return { ...this.#quantified(none, null), isOptional: true };
    const opening = this.#match(patterns.group);
    if (!opening) {
      const text = this.#class() ?? this.#match(patterns.escape)?.[0] ?? this.#match(patterns.character)?.[0];
      return text === undefined ? null : this.#quantified(charactersOf(text), null);
    }
    const group = depth < maxDepth ? this.alternatives(depth + 1) : null;
    if (!group || !this.#take(')')) return this.#fail();
    const item = this.#quantified(none, group);
    // What looks ahead or back takes nothing.
    return /^\(\?<?[=!]/.test(opening[0]) ? { ...item, isOptional: true } : item;
  }

  /** A class in brackets, which may have classes inside. */
  #class(): string | undefined {
    const start = this.#at;
    if (!this.#match(patterns.class)) return undefined;
    for (let depth = 1; depth > 0 && !this.isAtEnd; ) {
      if (this.#take(']')) depth--;
      else if (this.#take('[')) depth++;
      else if (!this.#match(patterns.escape)) this.#at++;
    }
    return this.text.slice(start, this.#at);
  }

  #quantified(characters: Characters, group: Alternatives | null): Item {
    const found = this.#match(patterns.quantifier);
    const [sign, least, comma, most] = found ?? [];
    const times = comma ? Number(most || Number.POSITIVE_INFINITY) : Number(least ?? 1);
    return {
      characters,
      group,
      isRepeated: sign !== undefined && (/^[*+]/.test(sign) || times > manyTimes),
      isOptional: sign !== undefined && (/^[*?]/.test(sign) || Number(least ?? 1) === 0),
    };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #take(character: string): boolean {
    const isThere = this.text[this.#at] === character;
    if (isThere) this.#at++;
    return isThere;
  }

  /** Leaves the rest unread, so that nothing is at its end. */
  #fail(): null {
    this.#at = -1;
    return null;
  }
}

/** Characters of each kind. */
const samples: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u0085\u00a0\u2028\u3000éßĀǅʰΩяאاका์ก中あア한٣²½Ⅷ€—“…\u0301\u200d😀',
];

/** Those that a class takes; all for one that isn't JavaScript's. */
function charactersOf(text: string): Characters {
  try {
    const test = new RegExp(`^(?:${text})$`, 'u');
    return new Set(samples.filter((sample) => test.test(sample)));
  } catch {
    return new Set(samples);
  }
}
