/** @file explainChoice: which variants of kernels a call takes, and why. */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import type { AdapterDescription } from '../webgpu/adapter.ts';
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { argumentsOf, type InputSpec, runDry } from '../autodiff/dryRunCall.ts';
import { adapterText, type ChoiceReport, choiceText } from './report.ts';
import { tunerOf } from './tuner.ts';

export class ChoiceExplanation {
  /** For `explainChoice`. */
  constructor(
    /** What the function is called. */
    readonly op: string,
    readonly adapter: AdapterDescription,
    /** The choices of the call, in the order in which it makes them; none where its kernels have one variant each. */
    readonly choices: readonly ChoiceReport[],
  ) {}

  get text(): string {
    const { op, adapter, choices } = this;
    const head = `${op} on ${adapterText(adapter)}`;
    if (choices.length === 0) return `${head}\nno choice: each of its kernels has one variant here`;
    const isGuessed = choices.some(({ source }) => source === 'guessed');
    const hint = isGuessed
      ? ['guesses follow from sizes and the class of the adapter; tune() with the same arguments measures']
      : [];
    return [head, ...choices.map(choiceText), ...hint].join('\n');
  }

  toString(): string {
    return this.text;
  }
}

/**
 * Says which variants of kernels a call of `op` would take, which others there are, what they are guessed to cost and what
 * was measured. Nothing is computed. `op` is an op, or any function of tensors; `{ shape, dtype }` stands for a tensor.
 *
 *     console.log(explainChoice(conv2d, x, { shape: [3, 3, 64, 64] }, { padding: 'same' }).text);
 *
 * Errors: ValueError for what is no function; those of `op`; TapeError for one that is async or reads values back.
 */
export function explainChoice<A extends readonly unknown[]>(
  op: (...args: A) => unknown,
  ...args: { [K in keyof A]: A[K] | InputSpec }
): ChoiceExplanation {
  requireFunction(op);
  const device: Device = getDevice();
  const { chooser } = device;
  const tuner = tunerOf(device);
  const { definition } = op as { definition?: { name: string } };
  const body = () => op(...(argumentsOf('explainChoice', device, op, args) as unknown as A));
  device.chooser = tuner;
  try {
    const choices = tuner.listen((dry) => runDry('explainChoice', device, body, dry));
    return new ChoiceExplanation(definition?.name ?? (op.name || 'the function'), device.adapter, choices);
  } finally {
    device.chooser = chooser;
  }
}

function requireFunction(op: unknown): void {
  if (typeof op === 'function') return;
  throw new ValueError({
    op: 'explainChoice',
    rule: 'what is explained is an op, or a function of tensors.',
    received: describe(op),
    hint: 'call explainChoice(matMul, a, b).',
  });
}
