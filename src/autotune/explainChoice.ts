/** @file explainChoice: which algorithms a call launches, and why. */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import type { AdapterDescription } from '../webgpu/adapter.ts';
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { argumentsOf, type InputSpec, runDry } from '../autodiff/dryRunCall.ts';
import { adapterText, type ChoiceReport, choiceText } from './report.ts';
import { tunerOf } from './tuner.ts';

/** The result of `explainChoice`: the variants that a call selects, and the other candidates. */
export class ChoiceExplanation {
  /** Called by `explainChoice`. */
  constructor(
    /** Name of the function. */
    readonly op: string,
    readonly adapter: AdapterDescription,
    /** The choices of the call, in the order in which it makes them; none if each of its kernels has a single algorithm. */
    readonly choices: readonly ChoiceReport[],
  ) {}

  get text(): string {
    const { op, adapter, choices } = this;
    const head = `${op} on ${adapterText(adapter)}`;
    if (choices.length === 0) return `${head}\nno choice: each of its kernels has one algorithm here`;
    const isSelected = choices.some(({ source }) => source === 'selected');
    const hint = isSelected
      ? [
          'selected from sizes and the adapter profile; tune() with the same arguments measures the candidates',
        ]
      : [];
    return [head, ...choices.map(choiceText), ...hint].join('\n');
  }

  toString(): string {
    return this.text;
  }
}

/**
 * Explains which algorithms a call of `op` would launch, which others there are, their estimated costs, and what was measured.
 * Nothing is computed. `op` is an op, or any function of tensors; `{ shape, dtype }` describes a tensor.
 *
 *     console.log(explainChoice(conv2d, x, { shape: [3, 3, 64, 64] }, { padding: 'same' }).text);
 *
 * Errors: ValueError if `op` isn't a function; those of `op`; TapeError if it is async or reads values back.
 */
export function explainChoice<A extends readonly unknown[]>(
  op: (...args: A) => unknown,
  ...args: { [K in keyof A]: A[K] | InputSpec }
): ChoiceExplanation {
  requireFunction(op);
  const device: Device = getDevice();
  const { autotuner } = device;
  const tuner = tunerOf(device);
  const { definition } = op as { definition?: { name: string } };
  const body = () => op(...(argumentsOf('explainChoice', device, op, args) as unknown as A));
  device.autotuner = tuner;
  try {
    const choices = tuner.listen((dry) => runDry('explainChoice', device, body, dry));
    return new ChoiceExplanation(definition?.name ?? (op.name || 'the function'), device.adapter, choices);
  } finally {
    device.autotuner = autotuner;
  }
}

function requireFunction(op: unknown): void {
  if (typeof op === 'function') return;
  throw new ValueError({
    op: 'explainChoice',
    rule: 'it explains an op, or a function of tensors.',
    received: describe(op),
    hint: 'call explainChoice(matMul, a, b).',
  });
}
