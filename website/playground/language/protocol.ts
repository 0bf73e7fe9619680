/** @file Messages between the page and the language Worker. Positions are offsets into the program. */

export interface Completion {
  label: string;
  /** TypeScript's kind of the symbol, such as `function` or `property`. */
  kind: string;
}

export interface Documentation {
  /** The declaration in one line. */
  signature: string;
  /** The docstring. */
  text: string;
  /** Start of the described symbol in the program. */
  from: number;
  to: number;
}

export interface Problem {
  from: number;
  to: number;
  message: string;
  isError: boolean;
}

/** A program that browsers can run, and the mapping to its original lines. */
export interface Transpiled {
  code: string;
  /** A source map, version 3. Null: the lines are the original ones. */
  map: string | null;
}

/** What the compiler can't read. */
export interface SyntaxProblem {
  message: string;
  line: number;
}

/** Requests by name, each with the result of its answer. */
export interface Requests {
  complete: { request: { source: string; at: number }; answer: { from: number; options: Completion[] } };
  describe: { request: { source: string; at: number; label?: string }; answer: Documentation | null };
  problems: { request: { source: string }; answer: Problem[] };
  transpile: { request: { source: string }; answer: Transpiled | SyntaxProblem };
}

export type RequestName = keyof Requests;

export type ToLanguage =
  | { type: 'types'; address: string }
  | { [K in RequestName]: { type: K; id: number } & Requests[K]['request'] }[RequestName];

export type FromLanguage = { id: number; answer: unknown } | { id: number; error: string };
