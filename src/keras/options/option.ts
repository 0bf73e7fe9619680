/**
 * @file One declaration of the options of a class: a table that says, for each option, how it is read and how a configuration
 * holds it. Fields, `getConfig` and the names in errors come from the table.
 */

/** Where an option is read: what errors name, and the values of the options before it in the table. */
export interface OptionPlace {
  readonly op: string;
  readonly what: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** One kind of option. */
export interface Option<Value = unknown> {
  /** The value of what was given; undefined where it was left out. Errors: ValueError for anything that doesn't fit. */
  read(given: unknown, place: OptionPlace): Value;
  /**
   * The value as a configuration holds it; undefined leaves it out. Default: as it is. Null: configurations never hold it.
   */
  readonly write?: ((value: never) => unknown) | null;
  /** Whether it is no field of the object: `weightRules` reads it. */
  readonly hidden?: boolean;
  /** Changes an object that has this value, once the field is defined. */
  install?(owner: object, value: Value): void;
}

/** The options of a class, in the order in which errors and configurations list them. */
export type Options = Readonly<Record<string, Option>>;

/** Reads all options of `table`. Errors: ValueError. */
export function readOptions(op: string, table: Options, given: object): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [what, option] of Object.entries(table))
    values[what] = option.read((given as Record<string, unknown>)[what], { op, what, values });
  return values;
}

/** Defines the fields of `owner`. They are definitions, since assignments to unknown properties are rejected. */
export function defineFields(owner: object, table: Options, values: Readonly<Record<string, unknown>>): void {
  for (const [what, option] of Object.entries(table)) {
    if (option.hidden) continue;
    const value = values[what];
    Object.defineProperty(owner, what, { value, writable: true, enumerable: true, configurable: true });
    option.install?.(owner, value);
  }
}

/** Returns the configuration of what has these fields, and these `values` of hidden options. */
export function writeOptions(
  owner: object,
  table: Options,
  values: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const fields = owner as Readonly<Record<string, unknown>>;
  const config: Record<string, unknown> = {};
  for (const [what, { write, hidden }] of Object.entries(table)) {
    if (write === null) continue;
    const value = (hidden ? values : fields)[what];
    const written = write ? write(value as never) : value;
    if (written !== undefined) config[what] = written;
  }
  return config;
}
