/** @file Sums over the launches of calls, and the calls that belong to each layer. */
import type { ReportedCall, ReportedLayer, StepReportData } from '../step/reportData.ts';

export interface Totals {
  readonly milliseconds: number;
  readonly launches: number;
  readonly bytes: number;
  readonly flops: number | null;
}

export function totalsOf(calls: readonly ReportedCall[]): Totals {
  const launches = calls.flatMap((call) => call.launches);
  const known = launches.flatMap(({ flops }) => (flops === null ? [] : [flops]));
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  return {
    milliseconds: sum(launches.map(({ milliseconds }) => milliseconds)),
    launches: launches.length,
    bytes: sum(launches.map(({ bytes }) => bytes)),
    flops: known.length > 0 ? sum(known) : null,
  };
}

/** Calls by the layers around them. */
export class LayerIndex {
  readonly #calls = new Map<number, ReportedCall[]>();

  constructor(readonly data: StepReportData) {
    for (const call of data.calls) {
      for (let id = call.layer; id !== null; id = data.layers[id]?.parent ?? null) {
        const calls = this.#calls.get(id);
        if (calls) calls.push(call);
        else this.#calls.set(id, [call]);
      }
    }
  }

  /** Calls inside a layer, at any depth. */
  callsIn({ id }: ReportedLayer): readonly ReportedCall[] {
    return this.#calls.get(id) ?? [];
  }

  /** Layers that call ops themselves. */
  get computing(): readonly ReportedLayer[] {
    const own = new Set(this.data.calls.filter(({ backward }) => !backward).map(({ layer }) => layer));
    return this.data.layers.filter(({ id }) => own.has(id));
  }

  /**
   * Returns the forward call that computes the output of a layer: the last one, apart from updates of moving averages and the
   * like.
   */
  lastOf(layer: ReportedLayer): ReportedCall | undefined {
    const calls = this.callsIn(layer).filter(({ backward }) => !backward);
    return calls.findLast(({ leadsToLoss }) => leadsToLoss) ?? calls.at(-1);
  }

  /**
   * Returns the name of a layer in a list: its path without the part that all share, and the number of its call if there are
   * several.
   */
  nameOf({ id, path, call }: ReportedLayer): string {
    const root = this.data.layers[0];
    const isShared =
      root &&
      this.data.layers.every(({ path: other }) => other === root.path || other.startsWith(`${root.path}/`));
    const own = isShared && id !== root.id ? path.slice(root.path.length + 1) : path;
    return call > 1 ? `${own} (call ${call})` : own;
  }

  pathOf(layer: number | null): string {
    const found = layer === null ? undefined : this.data.layers[layer];
    return found ? this.nameOf(found) : '';
  }
}
