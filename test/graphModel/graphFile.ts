/** @file Graph models made of a few nodes, as files for `loadGraphModel` and for TF.js. */

export type HostDType = 'float32' | 'int32' | 'bool';

/** Values, row-major. */
export interface HostTensor {
  readonly shape: readonly number[];
  readonly values: readonly number[];
  readonly dtype: HostDType;
}

export interface NodeDef {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly attr?: Readonly<Record<string, unknown>>;
}

export const text = (value: string) => ({ s: btoa(value) });
export const int = (value: number) => ({ i: String(value) });
export const float = (value: number) => ({ f: value });
export const flag = (value: boolean) => ({ b: value });
export const ints = (...values: number[]) => ({ list: { i: values.map(String) } });
export const texts = (...values: string[]) => ({ list: { s: values.map(btoa) } });
export const type = (dtype: HostDType) => ({
  type: { float32: 'DT_FLOAT', int32: 'DT_INT32', bool: 'DT_BOOL' }[dtype],
});

export const floats = (shape: readonly number[], values?: readonly number[]): HostTensor => ({
  shape,
  dtype: 'float32',
  values: values ?? wave(shape.reduce((product, size) => product * size, 1)),
});
export const integers = (
  values: readonly number[],
  shape: readonly number[] = [values.length],
): HostTensor => ({
  shape,
  values,
  dtype: 'int32',
});
export const scalar = (value: number, dtype: HostDType = 'int32'): HostTensor => ({
  shape: [],
  values: [value],
  dtype,
});

/** Numbers between -1 and 1, of which no two are equal. */
const wave = (count: number) => Array.from({ length: count }, (_, i) => Math.sin(1.7 * i + 0.3));

export interface GraphFile {
  readonly json: {
    readonly format: string;
    readonly modelTopology: { readonly node: readonly NodeDef[]; readonly versions: object };
    readonly weightsManifest: readonly object[];
    readonly signature?: object;
  };
  readonly specs: readonly { name: string; shape: readonly number[]; dtype: HostDType }[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** `constants` become nodes, and the weights of the file. */
export function graphFile(
  nodes: readonly NodeDef[],
  constants: Readonly<Record<string, HostTensor>> = {},
  signature?: object,
): GraphFile {
  const entries = Object.entries(constants);
  const specs = entries.map(([name, { shape, dtype }]) => ({ name, shape, dtype }));
  const pieces = entries.map(([, { values, dtype }]) =>
    dtype === 'float32'
      ? Float32Array.from(values)
      : dtype === 'int32'
        ? Int32Array.from(values)
        : Uint8Array.from(values),
  );
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteLength } of pieces) {
    bytes.set(new Uint8Array(buffer), at);
    at += byteLength;
  }
  const made = entries.map(([name, { dtype }]) => ({ name, op: 'Const', attr: { dtype: type(dtype) } }));
  return {
    json: {
      format: 'graph-model',
      modelTopology: { node: [...made, ...nodes], versions: { producer: 987 } },
      weightsManifest: [{ paths: ['weights.bin'], weights: specs }],
      ...(signature ? { signature } : {}),
    },
    specs,
    bytes,
  };
}

export const placeholder = (name: string, { shape, dtype }: HostTensor): NodeDef => ({
  name,
  op: 'Placeholder',
  attr: { dtype: type(dtype), shape: { shape: { dim: shape.map((size) => ({ size: String(size) })) } } },
});

/** The two files, as a page has them. */
export const filesOf = ({ json, bytes }: Pick<GraphFile, 'json' | 'bytes'>): File[] => [
  new File([JSON.stringify(json)], 'model.json'),
  new File([bytes], 'weights.bin'),
];
