/**
 * @file Reductions over one merged axis of x viewed as [outer, n, inner], to [outer, chunks, inner]. Each chunk holds
 * consecutive elements. With more than one chunk, the results are partial, and reduced by a second launch. All orders
 * are fixed: same input, same bits.
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
