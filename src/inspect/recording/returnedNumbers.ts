/** @file The numbers that a step returned, by name, which a recording shows for each step, and compares after a replay. */
import { isBranch } from '../../core/nest.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Limit of the numbers that are kept; a step may return predictions. */
const maxNumbers = 24;

/** Numbers and tensors of one element in `result`. Errors: those of reading a tensor. */
export async function returnedNumbers(result: unknown): Promise<Record<string, number>> {
  const found: [string, number | Tensor][] = [];
  const search = (value: unknown, name: string): void => {
    if (found.length >= maxNumbers) return;
    const isNumber = typeof value === 'number' || (value instanceof Tensor && value.size === 1);
    if (isNumber) found.push([name || 'result', value as number | Tensor]);
    else if (isBranch(value))
      for (const [key, part] of Object.entries(value)) search(part, name ? `${name}.${key}` : key);
  };
  search(result, '');
  const read = found.map(async ([name, value]) => {
    const number = typeof value === 'number' ? value : await value.item();
    return [name, Number(number)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
