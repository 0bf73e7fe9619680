/**
 * @file Families of objects that are selected by name: initializers, regularizers, constraints. Names may be spelled as in
 * JavaScript, or like Keras's functions or classes, and may come with a configuration.
 */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { foldName, suggestionFor } from '../core/suggest.ts';
import {
  customObjectOf,
  type Registrable,
  classOf,
  registeredAs,
  registeredNameOf,
} from './serialization/registered.ts';

/** An object with a configuration. */
export interface Configured {
  /** Keras's name of the class. */
  readonly className: string;
  /** All its options, in the form of `config` in `{ className, config }`. */
  getConfig(): Record<string, unknown>;
}

/** A class name with options, as in the result of a layer's `getConfig`. */
export interface ClassConfig {
  readonly className: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface Family<T extends Configured> {
  /** The word for a member, such as 'initializer'. */
  readonly noun: string;
  readonly makers: Readonly<Record<string, (options?: never) => T>>;
  /** Other names, as keys of `makers`. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly example: string;
}

/** Returns a member by its name, by its name and configuration, or itself. Errors: ValueError. */
export function memberOf<T extends Configured & { call: unknown }>(
  family: Family<T>,
  identifier: unknown,
): T {
  if (typeof identifier === 'string') return make(family, identifier, {});
  if (typeof identifier === 'function') return asMember(identifier as Registrable) as unknown as T;
  if (typeof identifier === 'object' && identifier !== null) {
    const { call, className, config } = identifier as Partial<T & ClassConfig>;
    if (typeof call === 'function') return identifier as T;
    if (typeof className === 'string') return make(family, className, config ?? {});
  }
  throw rejected(family, identifier);
}

/** Returns `{ className, config }` of a member, for a configuration; null stays null. */
export function configOf(member: Configured | null): ClassConfig | null {
  if (member === null) return null;
  const registered = registeredNameOf(classOf(member));
  return { className: registered ?? member.className, config: member.getConfig() };
}

function make<T extends Configured & { call: unknown }>(family: Family<T>, name: string, config: object): T {
  const maker = customObjectOf(name) ?? builtIn(family, name) ?? registeredAs(name);
  if (!maker) throw rejected(family, name);
  if (typeof maker.prototype?.call === 'function') return new (maker as Class<T>)(config);
  if (maker !== builtIn(family, name)) return asMember(maker as T['call'] & Registrable) as T;
  return (maker as (options: object) => T)(config);
}

type Class<T> = new (config: object) => T;

function builtIn({ makers, aliases = {} }: Family<Configured>, name: string): Registrable | null {
  const key = foldName(name);
  const alias = Object.entries(aliases).find(([other]) => foldName(other) === key);
  const wanted = alias ? foldName(alias[1]) : key;
  return Object.entries(makers).find(([known]) => foldName(known) === wanted)?.[1] ?? null;
}

/** A function instead of an object. In files, it has the name under which it was registered. */
function asMember<F extends Registrable>(call: F): Configured & { call: F } {
  return { className: registeredNameOf(call) ?? call.name, call, getConfig: () => ({}) };
}

function rejected({ noun, makers, example }: Family<Configured>, received: unknown): ValueError {
  return new ValueError({
    op: noun,
    rule: `it is named by one of ${Object.keys(makers).join(', ')}, by { className, config }, or is an object with call and getConfig.`,
    received: describe(received),
    hint: suggestionFor(
      received,
      Object.keys(makers),
      `pass ${example}; register your own classes with registerClass.`,
    ),
  });
}
