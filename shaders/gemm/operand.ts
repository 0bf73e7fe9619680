/** @file WGSL for reading operands, shared by all forms of the engine. */
import { range } from '../lib/text.ts';
import type { OperandLayout } from './problem.ts';

/** float16 as f32: one of the two in a word, by its index, or four in two words. */
export const float16Readers = `
fn unpack_float16(word: u32, index: u32) -> f32 {
  return unpack2x16float(word >> (16u * (index & 1u))).x;
}

fn unpack_four_float16(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
}
`;

/** The WGSL that reads one operand. */
export class Operand {
  constructor(
    readonly name: 'a' | 'b',
    readonly layout: OperandLayout,
    readonly guarded: boolean,
    readonly type: string,
  ) {}

  /** Lines per line state: four if they are read as one vector. */
  get linesPerState(): number {
    return this.layout.major === 'mn' ? this.layout.width : 1;
  }

  /** Whether four adjacent elements are read as a vector. */
  get inVectors(): boolean {
    return this.layout.width === 4;
  }

  get vector(): string {
    return `vec4<${this.type}>`;
  }

  /** One element, or four adjacent ones if the width is 4. */
  read(address: string, k: string, also: string): string {
    const value = this.value(`${this.name}_index(${address}, ${k})`);
    const condition = this.condition(address, k, also);
    return condition ? `select(${this.zero}, ${value}, ${condition})` : value;
  }

  /** The value of `read` for a nonexistent element. */
  get zero(): string {
    return `${this.layout.width === 4 ? this.vector : this.type}()`;
  }

  /** The condition that the element at `k` exists; empty if it always does. */
  condition(address: string, k: string, also: string): string {
    const conditions = [this.guarded ? `${this.name}_valid(${address}, ${k})` : '', also].filter(Boolean);
    // `&` rather than `&&`: short-circuiting would be a branch for each element read.
    return conditions.map((c) => `(${c})`).join(' & ');
  }

  /** Returns the element at `index`, or the vector that it begins. */
  value(index: string): string {
    const { width, float16 } = this.layout;
    const values = `${this.name}_values`;
    if (width === 4) return this.vectorAt(`${index} >> 2u`);
    return float16 ? `unpack_float16(${values}[${index} >> 1u], ${index})` : `${values}[${index}]`;
  }

  /** A vector, by its index in vectors. */
  vectorAt(index: string): string {
    const vector = `${this.name}_values[${index}]`;
    return this.layout.float16 ? `unpack_four_float16(${vector})` : vector;
  }

  /** Four adjacent elements along k of one line; with a `limit`, those from it on read as zero. */
  alongK(address: string, k: string, limit: string | null): string {
    if (this.layout.width === 4) return this.read(address, k, limit ? `${k} < ${limit}` : '');
    const scalars = range(4).map((i) => {
      const at = `${k} + ${i}u`;
      return this.read(address, at, limit ? `${at} < ${limit}` : '');
    });
    return `${this.vector}(${scalars.join(', ')})`;
  }
}
