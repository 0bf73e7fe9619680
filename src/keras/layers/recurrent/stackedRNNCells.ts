/** @file StackedRNNCells: cells on top of each other, as one cell. */
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import { deserializeLayer, serializeLayer } from '../../serialization/index.ts';
import { RNNCell, type Steps } from './cell.ts';
import { type CallOptions, factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export interface StackedRNNCellsOptions extends LayerOptions {
  /** The cells, starting with the one that reads the inputs. */
  cells: readonly (RNNCell | ClassConfig)[];
}

export class StackedRNNCells extends /* @__PURE__ */ layer<StackedRNNCellsOptions, RNNCell>(
  'StackedRNNCells',
  () => ({
    cells: {
      read: (given, { op }) => cellsOf(op, given),
      write: (cells: readonly RNNCell[]) => cells.map((cell) => serializeLayer(cell)),
    },
  }),
  RNNCell,
) {
  /** @internal */
  override needsFloats(): boolean {
    return this.cells[0]?.needsFloats?.() ?? false;
  }

  get stateSize(): readonly number[] {
    return this.cells.flatMap((cell) => cell.stateSizes);
  }

  override get outputSize(): number {
    return (this.cells.at(-1) as RNNCell).outputSize;
  }

  override get startsAtZero(): boolean {
    return this.cells.every((cell) => cell.startsAtZero);
  }

  override getInitialState(batchSize: number): Tensor[] {
    return this.cells.flatMap((cell) => cell.getInitialState(batchSize));
  }

  override build([x]: readonly OpenShape[]): void {
    let shape = x as OpenShape;
    const batch = shape[0] ?? null;
    for (const cell of this.cells) {
      cell.ensureBuilt([shape, ...cell.stateSizes.map((size) => [batch, size])]);
      shape = [batch, cell.outputSize];
    }
  }

  override steps(batchSize: number, options: CallOptions): Steps {
    const stages = this.cells.map((cell) => ({ cell, run: cell.steps(batchSize, options) }));
    const [first, ...others] = stages as [(typeof stages)[0], ...typeof stages];
    return {
      project: (x) => first.run.project(x),
      take: (projected, states) => {
        const count = first.cell.stateSizes.length;
        let next = count;
        let [output, ...after] = first.run.take(projected, states.slice(0, count)) as [Tensor, ...Tensor[]];
        for (const { cell, run } of others) {
          const own = states.slice(next, next + cell.stateSizes.length);
          next += own.length;
          const [above, ...changed] = run.take(run.project(output), own) as [Tensor, ...Tensor[]];
          output = above;
          after = [...after, ...changed];
        }
        return [output, ...after];
      },
    };
  }

  override call([x, ...states]: readonly Tensor[], options: CallOptions): readonly Tensor[] {
    const { project, take } = this.steps((x as Tensor).shape[0] as number, options);
    return take(project(x as Tensor), states);
  }
}

function cellsOf(op: string, given: unknown): readonly RNNCell[] {
  if (!Array.isArray(given) || given.length === 0) throw rejected(op, given);
  return Array.from(given, (item: RNNCell | ClassConfig) => {
    const cell = item instanceof RNNCell ? item : deserializeLayer(item);
    if (cell instanceof RNNCell) return cell;
    throw rejected(op, item);
  });
}

function rejected(op: string, given: unknown): ValueError {
  return new ValueError({
    op,
    rule: '`cells` is a list of cells, at least one.',
    received: `cells: ${describe(given)}`,
    hint: 'pass [layers.lstmCell({ units: 8 }), layers.lstmCell({ units: 8 })].',
  });
}

/**
 * Cells on top of each other: each takes the output of the one below. Their states follow each other in one list, from the
 * lowest cell on. Errors: ValueError for anything but a list of cells. Shapes: those of the cells.
 */
export const stackedRNNCells = /* @__PURE__ */ factoryOf(StackedRNNCells, ['cells']);
