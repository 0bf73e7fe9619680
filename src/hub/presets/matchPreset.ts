/** @file Finds the variables of a preset for each weight of a model, and says everything that doesn't fit at once. */
import { formatShape, sameShape, type Shape, sizeOf } from '../../core/shape.ts';
import type { HostArray } from '../../formats/numbers.ts';
import type { StoredBits, StoredTensor } from '../../formats/storedTensor.ts';
import { narrowStored } from '../checkpoints/narrowStored.ts';
import { isByColumns, type PresetWeight } from './presetWeights.ts';
import { FormatError } from '../../core/errors.ts';
import type { Matched } from '../checkpoints/matchTensors.ts';
import { placeOf } from './presetStore.ts';

/** Heads second, features first. */
const headsSecond = [1, 0, 2];

/** The value of a weight: its `parts` reshaped, with their axes in another order, or joined. They have the shapes that it asks for. */
function storedAs(weight: PresetWeight, parts: readonly StoredTensor[]): StoredTensor {
  const { variable, matrix, headsFirst } = weight;
  const [first] = parts as readonly [StoredTensor];
  const whole = parts.length === 1 ? first : joined(parts);
  if (matrix) {
    const inOrder = headsFirst ? rearranged(whole) : whole;
    return narrowStored(inOrder, matrix, isByColumns(variable));
  }
  const { shape } = variable;
  const layout = headsFirst && { from: whole.shape, perm: headsSecond, to: shape };
  return { ...whole, shape, ...(layout && { layout }) };
}

/** Numbers, or the bits of floats. */
type Values = HostArray | Uint16Array<ArrayBuffer>;
type Read = (begin: number, end: number) => Promise<Values>;

/** A tensor that is read by other functions: `change` makes them of those of its parts. */
function readBy(
  stored: StoredTensor,
  shape: Shape,
  change: (reads: (part: StoredTensor) => Read) => Read,
): StoredTensor {
  const { place, dtype, bits } = stored;
  const read = change((part) => part.read) as StoredTensor['read'];
  const ofBits = change((part) => (part.bits as StoredBits).read) as StoredBits['read'];
  return { place, dtype, shape, read, ...(bits && { bits: { ...bits, read: ofBits } }) };
}

/** Tensors of one shape, joined along their last axes, as a matrix. */
function joined(parts: readonly StoredTensor[]): StoredTensor {
  const [first] = parts as readonly [StoredTensor];
  const isMatrix = first.shape.length === 3;
  const rows = isMatrix ? (first.shape[0] as number) : 1;
  const row = sizeOf(first.shape) / rows;
  const whole = parts.length * row;
  return readBy(first, isMatrix ? [rows, whole] : [whole], (reads) => async (begin, end) => {
    const [from, to] = [Math.floor(begin / whole), Math.ceil(end / whole)];
    const read = await Promise.all(parts.map((part) => reads(part)(from * row, to * row)));
    const all = emptyLike(read[0] as Values, (to - from) * whole);
    for (const [i, values] of read.entries())
      for (let r = 0; r < to - from; r++)
        all.set(values.subarray(r * row, (r + 1) * row) as never, r * whole + i * row);
    return all.subarray(begin - from * whole, end - from * whole);
  });
}

/** [heads, features, size] as [features, heads · size]: read as a whole. */
function rearranged(stored: StoredTensor): StoredTensor {
  const [heads, features, size] = stored.shape as [number, number, number];
  return readBy(stored, [features, heads * size], (reads) => async (begin, end) => {
    const values = await reads(stored)(0, sizeOf(stored.shape));
    const all = emptyLike(values, values.length);
    for (let head = 0; head < heads; head++)
      for (let feature = 0; feature < features; feature++) {
        const at = (head * features + feature) * size;
        all.set(values.subarray(at, at + size) as never, (feature * heads + head) * size);
      }
    return all.subarray(begin, end);
  });
}

function emptyLike(values: Values, length: number): Values {
  return new (values.constructor as new (length: number) => Values)(length);
}

/** The weights that one file has, and its tensors. */
export interface PresetPart {
  readonly weights: readonly PresetWeight[];
  /** Null: the file isn't there, or of another task; the weights have initial values. */
  readonly tensors: ReadonlyMap<string, StoredTensor> | null;
  /** Tensors that the model needn't have. */
  readonly leftOut?: RegExp | undefined;
}

/** Errors: FormatError that names all variables that are missing, left over, of another shape or not of floats. */
export function matchPreset(parts: readonly PresetPart[], file: string): Matched {
  const faults: string[] = [];
  const weights: { weight: PresetWeight; stored: readonly StoredTensor[] }[] = [];
  const initialized: string[] = [];
  const unused: string[] = [];
  for (const { weights: wanted, tensors, leftOut } of parts) {
    if (!tensors) {
      initialized.push(...wanted.flatMap(({ places }) => places));
      continue;
    }
    const left = new Set(tensors.keys());
    for (const weight of wanted) {
      const found = weight.places.map((place) => tensors.get(placeOf(place)));
      for (const [i, place] of weight.places.entries()) {
        left.delete(placeOf(place));
        const fault = faultOf(place, found[i], weight.shapes[i] as Shape);
        if (fault) faults.push(fault);
      }
      weights.push({ weight, stored: found as StoredTensor[] });
    }
    for (const place of left) {
      if (leftOut?.test(place)) unused.push(place);
      else faults.push(`'${place}' is left over`);
    }
  }
  if (faults.length > 0) throw unfit(file, faults);
  return {
    weights: weights.map(({ weight, stored }) => {
      const { variable } = weight;
      return { path: variable.path, variable, stored: storedAs(weight, stored) };
    }),
    initialized,
    unused,
  };
}

function faultOf(place: string, stored: StoredTensor | undefined, shape: Shape): string | null {
  if (!stored) return `'${place}' is missing`;
  if (stored.dtype !== 'float32') return `'${place}' is of ${stored.dtype} instead of floats`;
  if (sameShape(stored.shape, shape)) return null;
  return `'${place}' is ${formatShape(stored.shape)} instead of ${formatShape(shape)}`;
}

function unfit(file: string, faults: readonly string[]): FormatError {
  return new FormatError({
    op: `fromPretrained ${file}`,
    rule: 'the files of the preset have each weight of the network, in its shape, and no others.',
    received: faults.join('; '),
    hint: 'config.json and the weights are of different networks: fetch all files of the preset again.',
  });
}
