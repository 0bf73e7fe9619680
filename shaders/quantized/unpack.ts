/**
 * @file Packed weights in WGSL (src/core/packedWeights.ts): vectors of four from words, and their scales. `packed`, `scales` and
 * `zeros` are bindings.
 */
import { range } from '../lib/text.ts';

export type PackedOptions = {
  format: 'int8' | 'int4' | 'float16' | 'bfloat16';
  zeros: boolean;
  /** Whether integers are divided by their scales. */
  divided: boolean;
};

/** Weights in four words. */
export const perChunk = { int8: 16, int4: 32, float16: 8, bfloat16: 8 } as const;

export const isFloat = (format: PackedOptions['format']) => format === 'float16' || format === 'bfloat16';

/** The vectors of four weights in four words `q`, in order; integers without scale and zero point. */
export function vectorsOf(format: PackedOptions['format'], q: string): string[] {
  const words = range(4).map((i) => `${q}.${'xyzw'[i]}`);
  const signed = (word: string, shifts: string, bits: number) =>
    `vec4<f32>((vec4<i32>(bitcast<i32>(${word})) << vec4<u32>(${shifts})) >> vec4<u32>(${32 - bits}u))`;
  switch (format) {
    case 'int4':
      return words.flatMap((word) => [
        signed(word, '28u, 24u, 20u, 16u', 4),
        signed(word, '12u, 8u, 4u, 0u', 4),
      ]);
    case 'int8':
      return words.map((word) => signed(word, '24u, 16u, 8u, 0u', 8));
    default:
      return [
        fourFloats(format, words[0] as string, words[1] as string),
        fourFloats(format, words[2] as string, words[3] as string),
      ];
  }
}

const fourFloats = (format: 'float16' | 'bfloat16', a: string, b: string) =>
  format === 'float16'
    ? `vec4<f32>(unpack2x16float(${a}), unpack2x16float(${b}))`
    : `bitcast<vec4<f32>>(vec4<u32>(${a} << 16u, ${a} & 0xffff0000u, ${b} << 16u, ${b} & 0xffff0000u))`;

/** Bindings of packed weights, read four words at a time. */
export const packedBindings = ({ format, zeros }: PackedOptions) => ({
  packed: 'read vec4<u32>' as const,
  ...(isFloat(format) ? {} : { scales: 'read f32' as const }),
  ...(zeros ? { zeros: 'read u32' as const } : {}),
});

/** Functions `scale_of` and `zero_of` a group of a channel, if weights have them. Parameters: `groups`, `zero_words`. */
export function scaleFunctions({ format, zeros }: PackedOptions): string {
  if (isFloat(format)) return '';
  const zero = `
fn zero_of(channel: u32, group_index: u32) -> f32 {
  let word = bitcast<i32>(zeros[channel * params.zero_words + group_index / 4u]);
  return f32((word << (24u - 8u * (group_index % 4u))) >> 24u);
}
`;
  return `
fn scale_of(channel: u32, group_index: u32) -> f32 {
  return scales[channel * params.groups + group_index];
}
${zeros ? zero : ''}`;
}

/** `vector` of integers with its scale and zero point; names are WGSL of f32. */
export function scaled(
  vector: string,
  { zeros, divided }: PackedOptions,
  scale: string,
  zero: string,
): string {
  const shifted = zeros ? `(${vector} - ${zero})` : vector;
  return `${shifted} ${divided ? '/' : '*'} ${scale}`;
}
