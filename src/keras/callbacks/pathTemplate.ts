/** @file File name templates in Python's format: `run/{epoch:02d}-{val_loss:.2f}.safetensors`. */
import { invalid } from './callbackOptions.ts';

/** A literal text, or the name and format of a value. */
type Piece = string | { name: string; format: Format };

interface Format {
  zeros: boolean;
  width: number;
  places: number | null;
  type: 'd' | 'f' | 'e' | '%' | '';
}

export class PathTemplate {
  readonly #pieces: readonly Piece[];

  /** Errors: ValueError for braces without a name, and for unknown formats. */
  constructor(
    private readonly op: string,
    readonly text: string,
  ) {
    const parts = text.match(/\{\{|\}\}|\{[^{}]*\}|[^{}]+|[{}]/g) ?? [];
    this.#pieces = parts.map((part) =>
      part.length > 1 || !'{}'.includes(part) ? this.#piece(part) : this.#reject(part),
    );
  }

  /** The names of the values. */
  get names(): string[] {
    return this.#pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]));
  }

  /** Returns the file name. Errors: ValueError for a missing value, and for a list. */
  fill(values: Readonly<Record<string, number>>): string {
    return this.#pieces
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        const value = values[piece.name];
        if (typeof value === 'number') return formatted(value, piece.format);
        throw invalid(
          this.op,
          '`filepath` must contain only names of available values.',
          `{${piece.name}} in '${this.text}', values ${Object.keys(values).join(', ')}`,
          'use one of these, or add the metric to compile({ metrics }).',
        );
      })
      .join('');
  }

  #piece(part: string): Piece {
    if (part === '{{' || part === '}}') return part.charAt(0);
    if (!part.startsWith('{')) return part;
    const found = /^\{(\w+)(?::(0?)(\d*)(?:\.(\d+))?([dfe%]?))?\}$/.exec(part);
    if (!found) return this.#reject(part);
    const [, name = '', zeros, width, places, type] = found;
    const format: Format = {
      zeros: zeros === '0',
      width: Number(width ?? 0),
      places: places === undefined ? null : Number(places),
      type: (type ?? '') as Format['type'],
    };
    return { name, format };
  }

  #reject(part: string): never {
    throw invalid(
      this.op,
      '`filepath` has values as {name}, {name:02d}, {name:.2f} or {name:.2e}; {{ and }} are braces.',
      `'${part}' in '${this.text}'`,
      "pass a name such as 'run/{epoch:02d}-{val_loss:.2f}.safetensors'.",
    );
  }
}

function formatted(value: number, { zeros, width, places, type }: Format): string {
  const text = () => {
    if (!Number.isFinite(value)) return nonFinite(value) + (type === '%' ? '%' : '');
    if (type === 'd') return String(Math.trunc(value));
    if (type === 'e') return value.toExponential(places ?? 6).replace(/e([+-])(\d)$/, 'e$10$2');
    if (type === 'f') return value.toFixed(places ?? 6);
    if (type === '%') return `${(value * 100).toFixed(places ?? 6)}%`;
    return places === null ? String(value) : String(Number(value.toPrecision(places)));
  };
  const sign = zeros && value < 0 ? '-' : '';
  const digits = sign ? text().slice(1) : text();
  return sign + digits.padStart(width - sign.length, zeros ? '0' : ' ');
}

/** NaN and infinities as Python writes them. */
function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}
