/** @file checkpoint: a function whose gradient computes it again, instead of keeping what it computed. */
import { requireFunction } from '../core/arguments.ts';
import { TapeError } from '../core/errors.ts';
import { isBranch, mapNest, type Nest } from '../core/nest.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { type TensorLike, toTensors } from '../ops/define/operands.ts';
import { activeRecorders } from '../ops/define/recorders.ts';
import { disposing, tidy } from '../tensor/scope.ts';
import { alias, Tensor } from '../tensor/tensor.ts';
import { OutsideUse } from './outsideUse.ts';
import { recordFunction } from './recordFunction.ts';
import { Tape } from './recordedCalls.ts';
import { packTree, structureOf, tensorsIn, type TensorTree } from './tree.ts';

/**
 * Runs `f` without keeping what its gradient needs: the backward pass computes `f` again. Trades time for memory. Inputs and
 * results are tensors or trees of tensors.
 *
 *     const block = checkpoint((x) => dense2.apply(relu(dense1.apply(x))));
 *
 * Gradients flow to the inputs, and to tensors and variables from outside that `f` uses. They are those of the call: the
 * second run has the values that variables had, and tensors that were disposed of since; it draws the same random numbers, and
 * what it assigns is undone. Its JavaScript runs again, and must compute the same.
 * Errors: TapeError for an f that returns something else than tensors, or something else when it runs again.
 * Source: Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016.
 */
export function checkpoint(f: (...inputs: Tensor[]) => Tensor): (...inputs: TensorLike[]) => Tensor;
export function checkpoint<A extends readonly unknown[], R extends TensorTree>(
  f: (...inputs: A) => R,
): (...inputs: A) => R;
export function checkpoint(f: unknown): (...inputs: never[]) => unknown {
  requireFunction('checkpoint', 'f', f);
  const run = f as (...inputs: unknown[]) => unknown;
  return (...operands) => {
    const inputs = inputTrees(operands);
    const leaves = inputs.flatMap((input, i) => tensorsIn('checkpoint', input, `input ${i}`));
    const use = new OutsideUse(activeRecorders().length > 0);
    const value = use.observe(() => {
      if (use.keeps) for (const leaf of leaves) use.add(leaf);
      return tidy(() => mapResult(run(...inputs)));
    });
    const outputs = tensorsIn('checkpoint', value, 'the result');
    for (const output of outputs) output.origin = { kind: 'unrecorded', op: 'checkpoint' };
    const own = new Set(leaves.map(({ id }) => id));
    const sources = [...leaves, ...use.sources.filter(({ id }) => !own.has(id))];
    recordFunction({
      name: 'checkpoint',
      inputs: sources,
      outputs,
      save: { inputs: [] },
      keep: use.kept,
      takesNull: true,
      backward: (cotangents, { kept, needs }) =>
        use.rerun(kept, () =>
          use.seeds.replay(() => recompute(() => run(...inputs), sources, cotangents, needs)),
        ),
    });
    use.release();
    return value;
  };
}

/** Returns the inputs with host values replaced by tensors. */
function inputTrees(operands: readonly unknown[]): unknown[] {
  const flat = operands.flatMap((operand, i): unknown[] =>
    isTree(operand) ? tensorsIn('checkpoint', operand, `input ${i}`) : [operand],
  );
  const slots = [{ name: 'inputs', hostDType: undefined, optional: false }];
  const tensors = toTensors('checkpoint', slots, flat);
  let next = 0;
  return operands.map((operand) =>
    isTree(operand) ? mapNest(operand as Nest<unknown>, () => tensors[next++]) : tensors[next++],
  );
}

/** Returns whether `operand` holds tensors, unlike nested arrays of numbers. */
function isTree(operand: unknown): boolean {
  let first = operand;
  try {
    // A list may contain itself; what walks the tree rejects that.
    for (let depth = 0; Array.isArray(first) && depth < 1000; depth++) first = first[0];
    return isBranch(operand) && (first instanceof Tensor || isBranch(first));
  } catch {
    // Something that throws when it is read, which the walk reports.
    return true;
  }
}

/** Returns `result` with new tensors, since the function may return what it was given. Masks stay with them. */
function mapResult(result: unknown): unknown {
  const leaves = tensorsIn('checkpoint', result, 'the result').map((leaf) => {
    const own = identity(leaf);
    own.attachment = leaf.attachment && alias(leaf.attachment);
    return own;
  });
  return packTree(result, leaves);
}

/** Returns the cotangents of `sources`, by running `f` again. */
function recompute(
  f: () => unknown,
  sources: readonly Tensor[],
  cotangents: readonly (Tensor | null)[],
  needs: readonly boolean[],
): (Tensor | null)[] {
  return disposing(new Tape(), (tape) => {
    const wanted = sources.filter((_, i) => needs[i]);
    tape.watch(wanted);
    // What the tape doesn't keep is freed here, not after the gradients.
    const result = tidy(f);
    const outputs = tensorsIn('checkpoint', result, 'the result');
    if (outputs.length !== cotangents.length) throw notTheSame(result, cotangents.length);
    const targets = outputs.filter((_, i) => cotangents[i]);
    const outputGradients = cotangents.filter((cotangent) => cotangent !== null);
    const gradients = tape.gradients(targets, wanted, { outputGradients });
    const ofId = new Map(wanted.map(({ id }, i) => [id, gradients[i] as Tensor | null]));
    return sources.map(({ id }) => {
      const gradient = ofId.get(id) ?? null;
      // A tensor may be passed twice: its gradient is the total.
      ofId.delete(id);
      return gradient;
    });
  });
}

function notTheSame(result: unknown, before: number): TapeError {
  return new TapeError({
    op: 'checkpoint',
    rule: 'the function computes the same when it runs again for the gradient.',
    received: `${structureOf(result)}, after ${before} ${before === 1 ? 'tensor' : 'tensors'} at the first run`,
    hint: 'keep host state that changes out of it.',
  });
}
