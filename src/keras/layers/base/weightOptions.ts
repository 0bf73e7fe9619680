/** @file The options of kernels and biases, which many layers share. */
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';

export interface KernelOptions {
  /** Initial values of the kernel. Default 'glorotUniform'. */
  kernelInitializer?: InitializerLike;
  /** Penalty on the kernel. Default: none. */
  kernelRegularizer?: RegularizerLike | null;
  /** Constraint applied to the kernel after each training step. Default: none. */
  kernelConstraint?: ConstraintLike | null;
}

export interface BiasOptions {
  /** Whether a weight is added to the result. Default true. */
  useBias?: boolean;
  /** Initial values of the bias. Default 'zeros'. */
  biasInitializer?: InitializerLike;
  /** Penalty on the bias. Default: none. */
  biasRegularizer?: RegularizerLike | null;
  /** Constraint applied to the bias after each training step. Default: none. */
  biasConstraint?: ConstraintLike | null;
}
