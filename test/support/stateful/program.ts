/** @file A random program with state, as data generated from a seed. */

/** One statement of the function. */
export interface Statement {
  readonly kind: string;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export const changeKinds = [
  'none',
  'assign',
  'hold a view',
  'let a view go',
  'write to the shared buffer',
  'dispose of the function',
  'compile the function again',
  'compute something else',
] as const;
/** The changes of programs with layers. */
export const layerChangeKinds = [
  ...changeKinds,
  'freeze or thaw a layer',
  'assign a weight',
  'reset the state of a layer',
] as const;
export type ChangeKind = (typeof layerChangeKinds)[number];

/** The changes of the world between two calls. */
export interface Change {
  readonly kind: ChangeKind;
  readonly a: number;
  readonly b: number;
}

/** One call: the structure of its arguments, where each tensor comes from, and what happened before. */
export interface CallPlan {
  readonly structure: number;
  readonly sources: readonly number[];
  readonly throws: boolean;
  readonly changes: readonly Change[];
}

export interface Program {
  readonly seed: number;
  readonly rows: number;
  readonly columns: number;
  readonly variables: number;
  readonly statements: readonly Statement[];
  /** Which values are returned, and in which structure. */
  readonly results: readonly number[];
  readonly resultStructure: number;
  readonly calls: readonly CallPlan[];
}
