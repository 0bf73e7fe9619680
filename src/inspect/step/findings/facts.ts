/** @file Queries of a report, used by the rules of findings. */
import type {
  Finding,
  ReportedCall,
  ReportedTensor,
  ReportedWeight,
  StepReportData,
  ValueStatistics,
} from '../reportData.ts';

export class Facts {
  /** Forward calls that read a tensor, by tensor. */
  readonly #readers = new Map<number, ReportedCall[]>();

  constructor(readonly data: StepReportData) {
    for (const call of data.calls) {
      if (call.backward) continue;
      for (const input of new Set(call.inputs)) {
        if (input === null) continue;
        const readers = this.#readers.get(input);
        if (readers) readers.push(call);
        else this.#readers.set(input, [call]);
      }
    }
  }

  tensor(id: number | null | undefined): ReportedTensor | undefined {
    return id === null || id === undefined ? undefined : this.data.tensors[id];
  }

  call(id: number | null): ReportedCall | undefined {
    return id === null ? undefined : this.data.calls[id];
  }

  readersOf(tensor: number): readonly ReportedCall[] {
    return this.#readers.get(tensor) ?? [];
  }

  /** Returns the names of the layers around a call, joined by slashes; null outside of layers. */
  layerOf(call: ReportedCall | undefined): string | null {
    return call?.layer === null || call?.layer === undefined
      ? null
      : (this.data.layers[call.layer]?.path ?? null);
  }

  inputsOf(call: ReportedCall): ReportedTensor[] {
    return call.inputs.flatMap((id) => this.tensor(id) ?? []);
  }

  outputsOf(call: ReportedCall): ReportedTensor[] {
    return call.outputs.flatMap((id) => this.tensor(id) ?? []);
  }

  /** Trainable weights for which a gradient was computed. */
  get trained(): readonly ReportedWeight[] {
    return this.data.weights.filter(({ gradient }) => gradient === 'computed');
  }

  /** `'relu' in layer 'dense_1'`. */
  nameOf(call: ReportedCall): string {
    const what = call.backward ? `the gradient of '${call.backward.op}'` : `'${call.op}'`;
    const layer = this.layerOf(call);
    return layer ? `${what} in layer '${layer}'` : what;
  }

  /** Returns the location of a finding. */
  at(call: ReportedCall | undefined): Pick<Finding, 'call' | 'layer' | 'callSite'> {
    const layer = call?.layer ?? null;
    const site = call?.callSite ?? (layer === null ? null : this.data.layers[layer]?.callSite) ?? null;
    return { call: call?.id ?? null, layer: this.layerOf(call), callSite: site };
  }
}

/** A rule of findings. */
export type Rule = (facts: Facts, errors: readonly Error[]) => readonly Finding[];

export const isSpecial = (values: ValueStatistics | null | undefined) =>
  values !== null && values !== undefined && values.nans + values.infinities > 0;

export const isAllZero = (values: ValueStatistics | null | undefined) =>
  values !== null && values !== undefined && values.count > 0 && values.zeros === values.count;

/** `sigmoid` of that op, and of layers that end in it. */
export function activationOf({ op, options }: ReportedCall): string {
  return /\bactivation: (\w+)/.exec(options)?.[1] ?? op;
}

/** `float32[32, 10]`. */
export const specOf = ({ dtype, shape }: { dtype: string; shape: readonly number[] }) =>
  `${dtype}[${shape.join(', ')}]`;

/** Formats a number with few digits. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'none';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

/** `'a', 'b', 'c' and 3 more`. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `'${name}'`);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : shown.join('');
}
