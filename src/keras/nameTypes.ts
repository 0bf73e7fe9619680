/**
 * @file Types for the names of activations, losses and so on. All spellings accepted at run time are part of the type, so
 * misspelt names are compile-time errors.
 */

/**
 * Names under which an app registered classes and functions, with their kinds. Add yours so that TypeScript accepts them:
 *
 *     declare module 'retrograd/keras' {
 *       interface RegisteredNames {
 *         pinball: 'loss';
 *       }
 *     }
 *
 */
export interface RegisteredNames {
  /** A name with its package is accepted for every kind. */
  [qualified: QualifiedName]: NamedKind;
}

/** The kinds of named objects. */
export type NamedKind =
  | 'activation'
  | 'constraint'
  | 'initializer'
  | 'loss'
  | 'metric'
  | 'optimizer'
  | 'regularizer';

/** A name with the package that it was registered in. */
export type QualifiedName = `${string}>${string}`;

/** Names of `K` that an app registered. */
export type RegisteredAs<K extends NamedKind> = {
  [N in keyof RegisteredNames]: K extends RegisteredNames[N] ? N : never;
}[keyof RegisteredNames];

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? Rest extends Uncapitalize<Rest>
    ? `${Lowercase<First>}${SnakeCase<Rest>}`
    : `${Lowercase<First>}_${SnakeCase<Rest>}`
  : S;

/** A name in camel case, in the spelling of Keras's functions, and in that of its classes: heNormal, he_normal, HeNormal. */
export type Spelled<N extends string> = N | SnakeCase<N> | Capitalize<N>;
