/** @file Measurements by the key of their problem, as text for a store. */

/** The fastest algorithm of a problem. */
export interface Winner {
  readonly variant: string;
  /** The time of each candidate that was measured. */
  readonly milliseconds: Readonly<Record<string, number>>;
  /** Hash of the WGSL of all candidates: if it changes, they are measured again. */
  readonly sources: string;
}

/** The stamp of a stored table: tables with another stamp are ignored. */
export interface Stamp {
  readonly version: string;
  readonly adapter: Readonly<Record<string, string>>;
}

/** Version of the text's layout, and of the names in it. */
const format = 2;

export function writeTable(winners: ReadonlyMap<string, Winner>, stamp: Stamp): string {
  return JSON.stringify({ format, ...stamp, winners: Object.fromEntries(winners) });
}

/** Returns the winners in `text`; none if it is damaged or has another stamp. */
export function readTable(text: string, stamp: Stamp): Map<string, Winner> {
  const none = new Map<string, Winner>();
  let stored: Partial<Stamp> & { format?: unknown; winners?: unknown };
  try {
    stored = JSON.parse(text);
  } catch {
    return none;
  }
  if (typeof stored !== 'object' || stored === null) return none;
  const { format: given, version, adapter, winners } = stored;
  const isOurs =
    given === format &&
    version === stamp.version &&
    JSON.stringify(adapter) === JSON.stringify(stamp.adapter) &&
    typeof winners === 'object' &&
    winners !== null;
  return isOurs ? new Map(Object.entries(winners).filter((entry) => isWinner(entry[1]))) : none;
}

function isWinner(value: unknown): value is Winner {
  if (typeof value !== 'object' || value === null) return false;
  const { variant, milliseconds, sources } = value as Partial<Winner>;
  return (
    typeof variant === 'string' &&
    typeof sources === 'string' &&
    typeof milliseconds === 'object' &&
    milliseconds !== null &&
    Object.values(milliseconds).every((time) => Number.isFinite(time) && time >= 0)
  );
}
