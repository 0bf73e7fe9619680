/**
 * @file BatchLevel: one running vmap. It receives the calls of ops on its mapped tensors, and lets a batching rule compute
 * all examples together.
 *
 * Recorders (tapes) that began inside the map see the call on one example, so that gradients inside are those of one example;
 * those that began outside see the calls that the rule makes. So tapes and maps nest in any order.
 */
import { TapeError } from '../../core/errors.ts';
import { formatSpec } from '../../core/spec.ts';
import { inputsOf, type OpDefinition } from '../../ops/define/define.ts';
import { outputsOf, type Plan } from '../../ops/define/definition.ts';
import { Call, type ExampleCheck, reportingFor } from '../../ops/define/call.ts';
import { recordCall } from '../../ops/define/recordCall.ts';
import { checkingOf, type IndexOptions } from '../../ops/define/indices.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { toTensors } from '../../ops/define/operands.ts';
import {
  activeRecorders,
  isSymbolic,
  nextRecording,
  type Recorder,
  withRecorders,
} from '../../ops/define/recorders.ts';
import { broadcastTo, sum } from '../../ops/reductions/sum.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type FunctionCall, recordFunction, recordHere } from '../recordFunction.ts';
import { BatchedTensor, batched, type Level } from './batchedTensor.ts';
import { MappedCall } from './mappedCall.ts';
import { batchingRuleOf } from './rules.ts';

export class BatchLevel implements Level {
  /** Position among recorders: those with larger numbers began inside this map. */
  #recording = nextRecording();
  #isOpen = true;

  constructor(
    /** The number of examples. */
    readonly size: number,
  ) {}

  close(): void {
    this.#isOpen = false;
  }

  requireOpen(tensor: Tensor): void {
    if (this.#isOpen) return;
    throw new TapeError({
      op: 'vmap',
      rule: 'a mapped tensor can be used until the mapped function returns.',
      received: `a mapped ${formatSpec(tensor)} after the end of its vmap`,
      hint: 'return it from the function, and use the result of vmap.',
    });
  }

  /** Calls `op` with at least one mapped operand. */
  call(op: OpDefinition, operands: readonly unknown[], given: object): unknown {
    const innermost = levelOf(operands);
    if (innermost && innermost !== this) return innermost.call(op, operands, given);
    return tidy(() => {
      requireConcrete(op.name, operands);
      const inputs = toTensors(op.name, inputsOf(op).slots, operands);
      const plan = op.infer(inputs, given);
      const options = op.settle ? op.settle(given) : given;
      const call = new Call(op.name, outputsOf(plan), operands, options);
      const check = this.#checkOf(call, op, inputs, plan);
      const run = () => reportingFor(check, () => this.#run(op, inputs, plan, options));
      // One of them is mapped.
      const { faults } = (inputs.find((input) => input !== null) as Tensor).device;
      const firstCheck = faults.tracker.begun;
      const outputs = this.#outside(run);
      const checks = faults.checksFrom(firstCheck);
      call.node = this.#inside(() => recordCall(op, inputs, outputs, options, plan, checks));
      return Array.isArray(plan) ? outputs : (outputs[0] as Tensor);
    });
  }

  /** Checks the indices that the host knows, and describes faults of others. */
  #checkOf(
    call: Call<IndexOptions>,
    { indexTarget }: OpDefinition,
    inputs: readonly (Tensor | null)[],
    plan: Plan,
  ): ExampleCheck | null {
    if (!indexTarget) return null;
    const target = indexTarget(inputs, plan);
    // Ops require their indices.
    const indices = inputs[target.input] as Tensor;
    const checking = checkingOf(call, indices, call.options, target);
    return 'fault' in checking ? { call, fault: checking.fault, isMapped: this.isMapped(indices) } : null;
  }

  #run(op: OpDefinition, inputs: readonly (Tensor | null)[], plan: Plan, options: object): Tensor[] {
    const rule = batchingRuleOf(op);
    const result = rule(new MappedCall(this, op, inputs, plan, options));
    const physical = Array.isArray(result) ? (result as Tensor[]) : [result as Tensor];
    return outputsOf(plan).map(({ shape }, i) => batched(this, physical[i] as Tensor, shape, op.name));
  }

  /**
   * Records a function with a custom gradient, which is written for one example. Tapes outside see a function of all
   * examples: its gradient maps that of one, and sums over the examples for inputs that they share.
   */
  recordFunction(call: FunctionCall): void {
    const { inputs, outputs, keep = [], backward } = call;
    const innermost = levelOf([...inputs, ...outputs, ...keep]);
    if (innermost && innermost !== this) {
      innermost.recordFunction(call);
      return;
    }
    this.#inside(() => recordHere(call));
    const isMapped = inputs.map((input) => this.isMapped(input));
    const isMappedOutput = outputs.map((output) => this.isMapped(output));
    const isKeptMapped = keep.map((tensor) => this.isMapped(tensor));
    const examples = (all: readonly Tensor[], mapped: readonly boolean[]) =>
      all.map((tensor, i) => (tensor && mapped[i] ? this.example(tensor) : tensor));
    const ofAll: FunctionCall = {
      ...call,
      inputs: inputs.map((input) => this.#physicalOf(input)),
      outputs: outputs.map((output) => this.#physicalOf(output)),
      keep: keep.map((tensor) => this.#physicalOf(tensor)),
      backward: (cotangents, saved) =>
        this.#reopened(() =>
          backward(examples(cotangents, isMappedOutput), {
            inputs: examples(saved.inputs, isMapped),
            outputs: examples(saved.outputs, isMappedOutput),
            kept: examples(saved.kept, isKeptMapped),
            needs: saved.needs,
          }).map((gradient, i) => gradient && this.#total(gradient, isMapped[i] as boolean)),
        ),
    };
    this.#outside(() => recordFunction(ofAll));
  }

  /** Returns the cotangent of an input for all examples, from that for one. */
  #total(gradient: Tensor, isMapped: boolean): Tensor {
    // A copy: the physical tensor is freed with its mapped tensor.
    if (isMapped) return identity(this.spread(gradient));
    if (this.isMapped(gradient)) return sum(gradient.physical, { axis: 0 });
    return mul(gradient, this.size);
  }

  /** Runs `body` with the map open again, as if it began now. */
  #reopened<T>(body: () => T): T {
    const before = this.#recording;
    const wasOpen = this.#isOpen;
    this.#recording = nextRecording();
    this.#isOpen = true;
    try {
      return body();
    } finally {
      this.#recording = before;
      this.#isOpen = wasOpen;
    }
  }

  get order(): number {
    return this.#recording;
  }

  isMapped(tensor: Tensor | null): tensor is BatchedTensor {
    return tensor instanceof BatchedTensor && tensor.level === this;
  }

  /** Returns `physical` [batch, ...shape] as one example. */
  example(physical: Tensor): Tensor {
    return batched(this, physical, physical.shape.slice(1), 'vmap');
  }

  #physicalOf(tensor: Tensor): Tensor {
    return this.isMapped(tensor) ? tensor.physical : tensor;
  }

  spread(tensor: Tensor): Tensor {
    if (this.isMapped(tensor)) return tensor.physical;
    return broadcastTo(tensor, { shape: [this.size, ...tensor.shape] });
  }

  /** Runs `body` seen by the recorders that began outside of this map. */
  #outside<T>(body: () => T): T {
    return withRecorders(activeRecorders().filter(this.#isOutside), body);
  }

  /** Runs `body` seen by the recorders that began inside. */
  #inside<T>(body: () => T): T {
    return withRecorders(
      activeRecorders().filter((recorder) => !this.#isOutside(recorder)),
      body,
    );
  }

  readonly #isOutside = ({ recording }: Recorder) => recording < this.#recording;
}

/** Returns the innermost level among those of `operands`: the one that began last. */
function levelOf(operands: readonly unknown[]): Level | null {
  let innermost: Level | null = null;
  for (const operand of operands) {
    if (!(operand instanceof BatchedTensor)) continue;
    const { level } = operand;
    if (!innermost || level.order > innermost.order) innermost = level;
  }
  return innermost;
}

function requireConcrete(op: string, operands: readonly unknown[]): void {
  const symbolic = operands.find(isSymbolic);
  if (!symbolic) return;
  throw new TapeError({
    op,
    rule: 'a mapped tensor and a symbolic tensor are not operands of one call.',
    received: String(symbolic),
    hint: 'call the model on tensors inside vmap.',
  });
}
