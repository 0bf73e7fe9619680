/** @file Muon. */
import { ValueError } from '../../core/errors.ts';
import type { Pieces } from '../../core/pieces.ts';
import { describe } from '../../core/shape.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import { euclideanNorm } from '../../ops/reductions/euclideanNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { type DynamicTensor, makeSlot, OpStepEngine } from './opStepEngine.ts';
import { Optimizer } from './optimizer.ts';
import {
  factoryOf,
  flag,
  integer,
  notNegative,
  nullable,
  number,
  optimizer,
  type OptimizerOptions,
  requireOption,
  share,
} from './declare.ts';

export interface MuonOptions extends OptimizerOptions {
  /** Adam's decay of the mean of gradients, in [0, 1). Default 0.9. */
  adamBeta1?: number;
  /** Adam's decay of the mean of squared gradients, in [0, 1). Default 0.999. */
  adamBeta2?: number;
  /** Weight decay of variables that Adam updates. Default 0.004. */
  adamWeightDecay?: number | null;
  /** Added by Adam to the root of squared gradients. Default 1e-7. */
  epsilon?: number;
  /** Regular expressions: Adam updates variables whose path contains a match. Default none. */
  excludeLayers?: readonly string[] | null;
  /** Whether Adam updates variables with 'embedding' in their path. Default true. */
  excludeEmbeddings?: boolean;
  /** Coefficient of x in the Newton–Schulz iteration. Default 3.4445. */
  muonA?: number;
  /** Coefficient of (x xᵀ) x. Default -4.775. */
  muonB?: number;
  /** Coefficient of (x xᵀ)² x. Default 2.0315. */
  muonC?: number;
  /** Adam's learning rate, as a fraction of the learning rate. Default 1. */
  adamLrRatio?: number;
  /** Decay of the momentum, in [0, 1). Default 0.95. */
  momentum?: number;
  /** Number of Newton–Schulz iterations. Default 5. */
  nsSteps?: number;
  /** Whether to use Nesterov momentum. Default true. */
  nesterov?: boolean;
  /** Updates are scaled by this times the root of the longer side of the matrix; null for no scaling. Default 0.2. */
  rmsRate?: number | null;
}

export class Muon extends /* @__PURE__ */ optimizer<MuonOptions, Optimizer>(
  'Muon',
  Optimizer,
  () => ({
    adamBeta1: share(0.9),
    adamBeta2: share(0.999),
    adamWeightDecay: nullable(notNegative(0.004)),
    epsilon: notNegative(1e-7),
    excludeLayers: { read: (given = null, { op, what }) => expressions(op, what, given ?? []) },
    excludeEmbeddings: flag(true),
    muonA: number({ default: 3.4445 }),
    muonB: number({ default: -4.775 }),
    muonC: number({ default: 2.0315 }),
    adamLrRatio: notNegative(1),
    momentum: share(0.95),
    nsSteps: integer({ min: 0, default: 5 }),
    nesterov: flag(true),
    rmsRate: nullable(notNegative(0.2)),
  }),
  { defaults: { weightDecay: 0.004 } },
) {
  readonly #excluded = (this.excludeLayers ?? []).map((pattern) => expressionOf(this.name, pattern));
  #rate = 0;
  /** Adam's learning rate with both bias corrections. */
  #adamRate = 0;
  /** Adam's weight decay times the learning rate. */
  #adamDecay = 0;

  override get readsSlices(): boolean {
    return true;
  }

  protected override advance(step: number, rate: number): void {
    const { adamBeta1, adamBeta2, adamLrRatio, adamWeightDecay } = this;
    this.#rate = rate;
    this.#adamRate = (rate * adamLrRatio * Math.sqrt(1 - adamBeta2 ** step)) / (1 - adamBeta1 ** step);
    this.#adamDecay = rate * (adamWeightDecay ?? 0);
  }

  protected override makeEngine(parts: EngineParts): Pieces<StepEngine> {
    const usesAdam = (variable: Variable) => this.#usesAdam(variable);
    const rule = {
      makeSlots: (variable: Variable) =>
        (usesAdam(variable) ? ['momentum', 'velocity'] : ['momentum']).map((slot) =>
          makeSlot(variable, this.slotName(variable, slot)),
        ),
      update: (
        value: Tensor,
        gradient: Tensor,
        slots: readonly Tensor[],
        scalar: DynamicTensor,
        variable: Variable,
        slices: Tensor | null,
      ) => {
        const [momentum, velocity] = slots as [Tensor, Tensor?];
        if (!velocity) return this.#muonUpdate(value, gradient, momentum, scalar);
        const decays = this.adamWeightDecay !== null && parts.isDecayed(variable);
        const decayed = decays ? sub(value, mul(value, scalar(this.#adamDecayNow))) : value;
        const squared = slices ?? square(gradient);
        return this.#adamUpdate(decayed, gradient, squared, [momentum, velocity], scalar);
      },
    };
    // Variables that Adam updates have their own decay rate.
    const isDecayed = (variable: Variable) => !usesAdam(variable) && parts.isDecayed(variable);
    return OpStepEngine.create({ ...parts, isDecayed }, rule, (variable, state) =>
      this.slotName(variable, state),
    );
  }

  #usesAdam({ shape, path }: Variable): boolean {
    const { excludeEmbeddings } = this;
    if (shape.length !== 2 || (excludeEmbeddings && path.toLowerCase().includes('embedding'))) return true;
    return this.#excluded.some((pattern) => pattern.test(path));
  }

  readonly #adamDecayNow = (): number => this.#adamDecay;

  #muonUpdate(value: Tensor, gradient: Tensor, old: Tensor, scalar: DynamicTensor): Tensor[] {
    const { momentum: share, nesterov, rmsRate } = this;
    const momentum = add(old, add(gradient, mul(old, share - 1)));
    const direction = this.#orthogonalized(nesterov ? add(gradient, mul(momentum, share)) : momentum);
    const scale = rmsRate === null ? 1 : Math.sqrt(Math.max(...value.shape)) * rmsRate;
    const rate = scalar(() => this.#rate * scale);
    return [sub(value, mul(rate, direction)), momentum];
  }

  /** Approximates U Vᵀ of the singular value decomposition U S Vᵀ, by Newton–Schulz iterations on the short side. */
  #orthogonalized(matrix: Tensor): Tensor {
    const { muonA, muonB, muonC, nsSteps } = this;
    const [rows, columns] = matrix.shape as [number, number];
    const isTall = rows > columns;
    const wide = isTall ? transpose(matrix) : matrix;
    let x = div(wide, add(euclideanNorm(wide), 1e-7));
    for (let i = 0; i < nsSteps; i++) {
      const gram = matMul(x, x, { transposeB: true });
      const polynomial = add(mul(gram, muonB), matMul(mul(gram, muonC), gram));
      x = add(mul(x, muonA), matMul(polynomial, x));
    }
    return isTall ? transpose(x) : x;
  }

  #adamUpdate(
    value: Tensor,
    gradient: Tensor,
    squared: Tensor,
    [momentum, velocity]: readonly [Tensor, Tensor],
    scalar: DynamicTensor,
  ): Tensor[] {
    const { adamBeta1, adamBeta2, epsilon } = this;
    const mean = add(momentum, mul(sub(gradient, momentum), 1 - adamBeta1));
    const squares = add(velocity, mul(sub(squared, velocity), 1 - adamBeta2));
    const rate = scalar(() => this.#adamRate);
    return [sub(value, div(mul(mean, rate), add(sqrt(squares), epsilon))), mean, squares];
  }
}

function expressions(op: string, what: string, given: unknown): readonly string[] {
  const areTexts = Array.isArray(given) && given.every((item) => typeof item === 'string');
  requireOption(op, what, given, areTexts, 'a list of regular expressions, as strings');
  return given as readonly string[];
}

function expressionOf(op: string, pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw new ValueError({
      op,
      rule: 'each of `excludeLayers` is a regular expression of JavaScript.',
      received: `excludeLayers: ${describe(pattern)} (${(error as Error).message})`,
      hint: "pass names such as ['output_dense'].",
    });
  }
}

/**
 * Momentum with orthogonalized matrices, so that all directions learn at the same rate. For the kernels of dense layers: Adam
 * updates variables that aren't matrices, embeddings, and those that `excludeLayers` matches, such as the last layer's.
 * Default learning rate 0.001, weight decay 0.004.
 * Sources: Jordan et al., Muon: an optimizer for hidden layers, 2024; Liu et al., Muon is scalable for LLM training, 2025.
 * Errors: ValueError for options.
 */
export const muon = /* @__PURE__ */ factoryOf(Muon, ['learningRate']);
