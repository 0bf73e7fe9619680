/**
 * @file Names of activations, losses, … as TypeScript knows them. Any spelling that is understood at run time is a type, so
 * that a misspelt name is an error where it is written.
 */

/**
 * Names under which an app registered classes and functions, each with its kind. Add yours, and TypeScript accepts them:
 *
 *     declare module 'retrograd/keras' {
 *       interface RegisteredNames {
 *         pinball: 'loss';
 *       }
 *     }
 *
 */
export interface RegisteredNames {
  /** With its package, a name is accepted wherever names are. */
  [qualified: QualifiedName]: NamedKind;
}

/** What a name may stand for. */
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

/** A name in camel case, as Keras's functions are written, and as its classes are: heNormal, he_normal, HeNormal. */
export type Spelled<N extends string> = N | SnakeCase<N> | Capitalize<N>;
