/** @file A program's logs as text in its output: consecutive lines share a block. */
import { formatValue } from './formatValue.ts';

interface Text {
  update(words: unknown, tone?: 'library'): void;
}

/** More lines are cut off at the front. */
const LINES = 200;
/** The shortest time between two messages: a loop that logs must not block the page. */
const EVERY_MS = 50;

/** Returns a function that shows at once what waits. */
export function captureConsole(text: (words: unknown, tone: 'library') => Text): () => void {
  const lines: string[] = [];
  let block: Text | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    block?.update(lines.join('\n'));
  };
  const log = (...values: unknown[]) => {
    lines.push(values.map((value) => (typeof value === 'string' ? value : formatValue(value))).join(' '));
    if (lines.length > LINES) lines.shift();
    block ??= text('', 'library');
    timer ??= setTimeout(flush, EVERY_MS);
  };
  for (const name of ['log', 'info', 'warn', 'error'] as const) console[name] = log;
  return flush;
}
