/** @file Finds duplicate keys in JSON objects, which `JSON.parse` silently accepts. */

/**
 * Returns a key that some object in `text` has twice; null if there is none. `text` must be JSON that `JSON.parse` accepts.
 */
export function duplicateKey(text: string): string | null {
  /** Keys of the enclosing objects; null for lists. */
  const open: (Set<string> | null)[] = [];
  let mayBeKey = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') {
      const end = endOfString(text, i);
      const keys = open.at(-1);
      if (keys && mayBeKey) {
        const key = JSON.parse(text.slice(i, end + 1)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      mayBeKey = false;
      i = end;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null);
      mayBeKey = true;
    } else if (char === '}' || char === ']') open.pop();
    else if (char === ',') mayBeKey = true;
  }
  return null;
}

/** Returns the index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
