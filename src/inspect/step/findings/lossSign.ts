/** @file Whether a loss can be negative, from the ops that compute it. */
import type { ReportedTensor } from '../reportData.ts';
import type { Facts } from './facts.ts';

/** Ops whose values are never negative. */
const nonNegative = /^(square|squaredDifference|abs|relu6?|softplus|exp|sigmoid|softmax|sqrt)$/;
/** Ops whose values have the sign of their inputs. */
const keepsSign =
  /^(mean|sum|max|min|add|addN|maximum|minimum|reshape|squeeze|expandDims|transpose|broadcastTo|concat|slice|cast|where|gather|sparseCategoricalCrossentropy)$/;

/**
 * Returns whether the ops of a loss rule out negative values: squares, distances and crossentropies, and sums and means of
 * them.
 */
export function isNeverNegative(facts: Facts, loss: ReportedTensor): boolean {
  return new Signs(facts).isAtLeastZero(loss);
}

class Signs {
  readonly #known = new Map<string, boolean>();

  constructor(private readonly facts: Facts) {}

  isAtLeastZero(tensor: ReportedTensor): boolean {
    return this.#once(`+${tensor.id}`, () => this.#isAtLeastZero(tensor));
  }

  isAtMostZero(tensor: ReportedTensor): boolean {
    return this.#once(`-${tensor.id}`, () => this.#isAtMostZero(tensor));
  }

  /** Visits a tensor only once, since it may have several readers. */
  #once(key: string, find: () => boolean): boolean {
    const known = this.#known.get(key) ?? find();
    this.#known.set(key, known);
    return known;
  }

  #isAtLeastZero(tensor: ReportedTensor): boolean {
    const call = this.facts.call(tensor.maker);
    // Values that don't depend on weights keep their sign in the next step.
    if (!call || !tensor.gradient) return (tensor.values?.min ?? -1) >= 0;
    const inputs = this.#numbersOf(tensor);
    const [a, b] = inputs;
    if (nonNegative.test(call.op)) return true;
    if (call.op === 'neg') return inputs.every((input) => this.isAtMostZero(input));
    if (call.op === 'sub') return this.#isLogOfSumLessLog(inputs);
    if ((call.op === 'mul' || call.op === 'div') && a && b)
      return (
        a.id === b.id ||
        (this.isAtLeastZero(a) && this.isAtLeastZero(b)) ||
        (this.isAtMostZero(a) && this.isAtMostZero(b))
      );
    return keepsSign.test(call.op) && inputs.every((input) => this.isAtLeastZero(input));
  }

  #isAtMostZero(tensor: ReportedTensor): boolean {
    const call = this.facts.call(tensor.maker);
    if (!call || !tensor.gradient) return (tensor.values?.max ?? 1) <= 0;
    const inputs = this.#numbersOf(tensor);
    const [a, b] = inputs;
    if (call.op === 'logSoftmax' || call.op === 'logSigmoid') return true;
    if (call.op === 'log') return inputs.every((input) => this.#isShare(input));
    if (call.op === 'neg') return inputs.every((input) => this.isAtLeastZero(input));
    if ((call.op === 'mul' || call.op === 'div') && a && b)
      return (
        (this.isAtLeastZero(a) && this.isAtMostZero(b)) || (this.isAtMostZero(a) && this.isAtLeastZero(b))
      );
    return keepsSign.test(call.op) && inputs.every((input) => this.isAtMostZero(input));
  }

  /** Returns the operands without conditions and indices. */
  #numbersOf({ maker }: ReportedTensor): ReportedTensor[] {
    const call = this.facts.call(maker);
    return call ? this.facts.inputsOf(call).filter(({ dtype }) => dtype.startsWith('float')) : [];
  }

  /** Probabilities: at most 1. */
  #isShare({ maker, values }: ReportedTensor): boolean {
    const op = this.facts.call(maker)?.op ?? '';
    return (
      /^(clip|softmax|sigmoid|sub|gather|sparseCategoricalCrossentropy)$/.test(op) && (values?.max ?? 2) <= 1
    );
  }

  /** log(Σp) − log(p), as sparseCategoricalCrossentropy computes it from probabilities. */
  #isLogOfSumLessLog(inputs: readonly ReportedTensor[]): boolean {
    const [a, b] = inputs.map(({ maker }) => this.facts.call(maker));
    const [total] = a?.op === 'log' ? this.facts.inputsOf(a) : [];
    return this.facts.call(total?.maker ?? null)?.op === 'sum' && b?.op === 'log';
  }
}
