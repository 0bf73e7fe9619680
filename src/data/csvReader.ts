/**
 * @file Records of CSV text (RFC 4180): fields in quotes may hold delimiters, line breaks, and quotes, doubled. Lines end in LF,
 * CRLF or CR; empty lines are left out. The text comes in parts.
 */
import { FormatError } from '../core/errors.ts';

/** One record, with the line on which it begins, counted from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

const quote = '"';

export class CsvReader {
  #field = '';
  #fields: string[] = [];
  /** 'start' of a field, in a 'plain' or 'quoted' one, or at a quote in a quoted one, which ends it or is doubled. */
  #state: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  #line = 1;
  #begin = 1;
  #wasReturn = false;

  constructor(private readonly delimiter: string) {}

  /** Returns the records that end in `text`. Errors: FormatError for text after a closing quote. */
  read(text: string): CsvRecord[] {
    const records: CsvRecord[] = [];
    for (let i = 0; i < text.length; i++) {
      const end = this.#plainUntil(text, i);
      if (end > i) {
        if (this.#state === 'quote') throw this.#afterQuote(text[i] as string);
        this.#field += text.slice(i, end);
        if (this.#state === 'start') this.#state = 'plain';
        this.#wasReturn = false;
        i = end;
        if (i === text.length) break;
      }
      this.#special(text[i] as string, records);
    }
    return records;
  }

  /** Returns the last record, if it has no line end. Errors: FormatError for a quoted field without end. */
  end(): CsvRecord[] {
    if (this.#state === 'quoted') {
      throw new FormatError({
        op: 'csv',
        rule: 'a quoted field has a closing quote.',
        received: `a field without one, in the record of line ${this.#begin}`,
        hint: 'write a quote inside of a quoted field twice: "".',
      });
    }
    const records: CsvRecord[] = [];
    this.#endRecord(records);
    return records;
  }

  /** Returns the end of the characters from `i` that are only text. */
  #plainUntil(text: string, i: number): number {
    let end = i;
    if (this.#state === 'quoted') {
      while (end < text.length && text[end] !== quote && text[end] !== '\n' && text[end] !== '\r') end++;
      return end;
    }
    while (end < text.length) {
      const char = text[end];
      if (char === this.delimiter || char === '\n' || char === '\r') break;
      if (char === quote && this.#state !== 'plain' && end === i) break;
      end++;
    }
    return end;
  }

  #special(char: string, records: CsvRecord[]): void {
    const isSecondHalf = char === '\n' && this.#wasReturn;
    this.#wasReturn = char === '\r';
    if ((char === '\n' || char === '\r') && !isSecondHalf) this.#line++;
    if (this.#state === 'quoted') {
      if (char === quote) this.#state = 'quote';
      else this.#field += char;
    } else if (char === quote) {
      if (this.#state === 'quote') this.#field += quote;
      this.#state = 'quoted';
    } else if (char === this.delimiter) {
      this.#endField();
    } else if (isSecondHalf) {
      this.#begin = this.#line;
    } else {
      this.#endRecord(records);
    }
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'start';
  }

  #endRecord(records: CsvRecord[]): void {
    const isEmpty = this.#fields.length === 0 && this.#state === 'start';
    this.#endField();
    if (!isEmpty) records.push({ line: this.#begin, fields: this.#fields });
    this.#fields = [];
    this.#begin = this.#line;
  }

  #afterQuote(char: string): FormatError {
    return new FormatError({
      op: 'csv',
      rule: 'a delimiter or a line end follows a closing quote.',
      received: `'${char}' after it, on line ${this.#line}`,
      hint: 'write a quote inside of a quoted field twice: "".',
    });
  }
}
