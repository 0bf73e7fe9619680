/**
 * @file Reductions over one merged axis of x seen as [outer, n, inner], to [outer, chunks, inner]. With more than one
 * chunk the result is a partial one, folded by a second launch: each chunk holds
 * elements that follow each other. All orders are fixed: same input, same bits.
 */
import { laneReduce } from './reduce/lanes.ts';
import type { ReduceOptions } from './reduce/program.ts';
import { serialReduce } from './reduce/serial.ts';

export {
  elementsOf,
  operandElement,
  type ReduceOperand,
  reduceOperandNames,
  type ReduceOptions,
} from './reduce/program.ts';

export function reduce(options: ReduceOptions): string {
  return options.serial ? serialReduce(options) : laneReduce(options);
}
