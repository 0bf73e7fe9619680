/**
 * @file Kernel parameters: named fields laid out as a WGSL uniform struct, and packed into its bytes.
 *
 * A field is a scalar, or `u32x8`/`i32x8`: eight integers (a shape, strides) as `array<vec4, 2>`, because uniform
 * arrays have a stride of 16 bytes. WGSL reads element i of such a field as `params.name[i / 4][i % 4]`.
 */

import { describe, hintFor } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';

export type ParamType = 'u32' | 'i32' | 'f32' | 'u32x8' | 'i32x8';
export type ParamFields = Readonly<Record<string, ParamType>>;
export type ParamValues<P extends ParamFields> = {
  [K in keyof P]: P[K] extends 'u32x8' | 'i32x8' ? readonly number[] : number | DynamicScalar;
};
/** The value of one field in a launch. */
export type ParamValue = number | DynamicScalar | readonly number[];

/**
 * A number that may change between replays of a captured launch: a learning rate, a step count, a seed. It is read each
 * time the launch runs.
 */
export class DynamicScalar {
  #value = 0;

  /** Errors: ValueError unless it is a number. */
  constructor(value: number) {
    this.value = value;
  }

  get value(): number {
    return this.#value;
  }

  /** Errors: ValueError unless it is a number. */
  set value(value: number) {
    if (typeof value !== 'number') {
      throw new ValueError({
        op: 'DynamicScalar',
        rule: 'its value is a number.',
        received: describe(value),
        hint: hintFor(value, 'pass a number; the value of a tensor is `await x.item()`.'),
      });
    }
    this.#value = value;
  }

  /** Throws in arithmetic and comparisons, which would freeze the present value. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return `DynamicScalar ${this.#value}`;
    throw new ValueError({
      op: 'DynamicScalar',
      rule: 'it has its value when a launch runs, so that arithmetic of JavaScript cannot use it.',
      received: `DynamicScalar ${this.#value} in an expression`,
      hint: 'pass it to an op, or compute with its `value`: scalar.value = 2 * x.',
    });
  }
}

const wgslOf: Record<ParamType, string> = {
  u32: 'u32',
  i32: 'i32',
  f32: 'f32',
  u32x8: 'array<vec4<u32>, 2>',
  i32x8: 'array<vec4<i32>, 2>',
};

interface Field {
  name: string;
  type: ParamType;
  /** In 32-bit words. */
  offset: number;
}

/** The layout of one kernel's parameters. */
export class ParamLayout {
  readonly fields: readonly Field[];
  /** Size of the struct in bytes, a multiple of 16. */
  readonly bytes: number;

  constructor(fields: ParamFields) {
    // Arrays first: they are aligned to 16 bytes, and no padding is needed when they come first.
    const isArray = (type: ParamType) => type.endsWith('x8');
    const entries = Object.entries(fields);
    const ordered = [...entries.filter(([, t]) => isArray(t)), ...entries.filter(([, t]) => !isArray(t))];
    let offset = 0;
    this.fields = ordered.map(([name, type]) => {
      const field = { name, type, offset };
      offset += isArray(type) ? 8 : 1;
      return field;
    });
    this.bytes = Math.max(16, Math.ceil(offset / 4) * 16);
  }

  /** Returns a layout of the fields in `names`. */
  only(names: readonly string[]): ParamLayout {
    const kept = this.fields.filter(({ name }) => names.includes(name));
    return new ParamLayout(Object.fromEntries(kept.map(({ name, type }) => [name, type])));
  }

  /** The WGSL declaration of the struct. */
  get wgsl(): string {
    const members = this.fields.map(({ name, type }) => `  ${name}: ${wgslOf[type]},`);
    return `struct Params {\n${members.join('\n')}\n}`;
  }

  /** Writes `values` at word `base` of the parameter ring. */
  pack(ring: ParamWords, base: number, values: Readonly<Record<string, ParamValue>>): void {
    for (const { name, type, offset } of this.fields) {
      const given = values[name];
      const value = given instanceof DynamicScalar ? given.value : given;
      if (value === undefined) throw new TypeError(`kernel parameter '${name}' has no value`);
      const at = base + offset;
      if (typeof value !== 'number') {
        const words = type === 'u32x8' ? ring.u32 : ring.i32;
        for (let i = 0; i < 8; i++) words[at + i] = value[i] ?? 0;
      } else if (type === 'f32') ring.f32[at] = value;
      else if (type === 'u32') ring.u32[at] = value;
      else ring.i32[at] = value;
    }
  }
}

/** One block of memory viewed as each word type. */
export class ParamWords {
  readonly u32: Uint32Array<ArrayBuffer>;
  readonly i32: Int32Array<ArrayBuffer>;
  readonly f32: Float32Array<ArrayBuffer>;

  constructor(readonly bytes: number) {
    const memory = new ArrayBuffer(bytes);
    this.u32 = new Uint32Array(memory);
    this.i32 = new Int32Array(memory);
    this.f32 = new Float32Array(memory);
  }
}
