/**
 * @file Reductions over one merged axis of x viewed as [outer, n, inner], to [outer, chunks, inner]. Each chunk holds
 * consecutive elements. With more than one chunk, the results are partial, and reduced by a second launch. All orders
 * are fixed: same input, same bits. The form for software adapters is here; that for GPUs, ./reduce/lanes.ts, is loaded for them.
 */
export {
  type ComputedElements,
  elementsOf,
  operandElement,
  type ReduceOperand,
  reduceOperandNames,
  type ReduceOptions,
  type ReduceProgram,
} from './reduce/program.ts';
export { serialReduce } from './reduce/serial.ts';
