/**
 * @file Marks whole floats among the operands of an op. Python distinguishes 1.0 from 1, on which the dtype of a result depends: `flags * 1.0`
 * is float32, and `flags * 1` int32. JSON.parse doesn't.
 */

const number = String.raw`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`;
/** Numbers next to a tensor are few; a constant may have millions, for which a regular expression has no stack. */
const some = '{1,64}';
/** Numbers behind a symbolic tensor in a list, or in front of one. */
const behind = new RegExp(String.raw`(\d\s*\]\s*\}\s*\})((?:\s*,\s*${number})${some})(?=\s*[,\]])`, 'g');
const before = new RegExp(
  String.raw`\[((?:\s*${number}\s*,)${some})(?=\s*\{\s*"class_name"\s*:\s*"__keras_tensor__")`,
  'g',
);
/** The only key of the objects that stand for whole floats. */
export const mark = '__float__';

/** Returns a document in which whole floats next to symbolic tensors are objects, which `pythonFloat` reads. */
export function withMarkedFloats(text: string): string {
  const marked = (numbers: string) => numbers.replaceAll(/-?\d+\.0(?![\deE])/g, `{"${mark}":$&}`);
  return text
    .replaceAll(behind, (_, tensor: string, numbers: string) => tensor + marked(numbers))
    .replaceAll(before, (_, numbers: string) => `[${marked(numbers)}`);
}
