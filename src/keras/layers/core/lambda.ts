/** @file Lambda: a function of tensors as a layer. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { warnOnce } from '../../../core/warn.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { KerasTensor } from '../../graph/kerasTensor.ts';
import { areShapes } from '../../graph/callResult.ts';
import { variablesBehind } from '../../graph/variables.ts';
import type { Shapes } from '../base/layer.ts';
import { leavesOf, mapShapes, type Nest } from '../../tensorNest.ts';
import { customObjectOf, registeredAs, registeredNameOf } from '../../serialization/registered.ts';
import {
  type CallOptions,
  factoryOf,
  layer,
  type Layer,
  type LayerOptions,
  type LayerStatics,
} from '../base/declare.ts';

/** Computes the outputs with ops. `options` are those of the call, and the layer's `arguments`. */
export type LambdaFunction<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor> = (
  inputs: In,
  options: CallOptions,
) => Out;

/** Shapes without the batch, or a function from the shapes of the inputs, the batch included in both. */
export type LambdaShape = Nest<OpenShape> | ((inputShape: never) => Nest<OpenShape>);

/** Options of `lambda` besides its function. */
export interface LambdaSettings extends LayerOptions {
  /** Shape of the output without the batch, or a function of input shapes. Default: found by running the function. */
  outputShape?: LambdaShape | null;
  /** Mask of the output, or a function from inputs and their masks. Default: none. */
  mask?: Nest<Tensor | null> | ((inputs: never, mask: Nest<Tensor | null>) => Nest<Tensor | null>) | null;
  /** Merged into the options of the function at every call. */
  arguments?: Readonly<Record<string, unknown>>;
}

export interface LambdaOptions<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor>
  extends LambdaSettings {
  /** A function, or the name under which one was registered. */
  function: LambdaFunction<In, Out> | string;
}

type LambdaClass = LayerStatics &
  (abstract new <In extends Nest<Tensor>, Out extends Nest<Tensor>>(
    options: LambdaOptions<In, Out>,
  ) => Layer<In, Out> & {
    readonly outputShape: LambdaShape | null;
    readonly mask: LambdaSettings['mask'];
    readonly arguments: Readonly<Record<string, unknown>>;
  });

export class Lambda<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends /* @__PURE__ */ (layer<LambdaOptions>('Lambda', () => ({
  function: { read: (given, { op }) => functionOf(op, given) as never, write: null },
  outputShape: {
    read: (given = null, { op }) => {
      if (given !== null && typeof given !== 'function') requireShapes(op, given);
      return given as never;
    },
  },
  mask: { read: (given = null) => given as never, write: null },
  arguments: { read: (given) => ({ ...(given as object) }) },
})) as unknown as LambdaClass)<In, Out> {
  override readonly supportsMasking = true;
  override readonly takesMask = true;
  override readonly callsForeignLayers = true;
  declare readonly function: LambdaFunction<In, Out>;

  override call(inputs: In, options: CallOptions): Out {
    return this.function(inputs, { ...this.arguments, ...options });
  }

  override computeOutputShape(inputShape: Shapes<In>): Shapes<Out> {
    const { outputShape } = this;
    if (outputShape === null) return super.computeOutputShape(inputShape);
    if (typeof outputShape === 'function') return outputShape(inputShape as never) as Shapes<Out>;
    const [first] = leavesOfShapes(inputShape as Nest<OpenShape>);
    return mapShapes(outputShape, (shape) => [first?.[0] ?? null, ...shape]) as Shapes<Out>;
  }

  /** Dtypes come from the function, if it can be run on symbolic tensors. */
  protected override computeOutputSpec(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    if (this.outputShape === null) return this.#watched(inputs, options);
    try {
      this.#watched(inputs, options);
    } catch {
      // Otherwise `outputShape` determines the shape.
    }
    return super.computeOutputSpec(inputs, options);
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return input?.dtype ?? this.dtype;
  }

  /** Finds variables that the function closes over, which the layer doesn't have. */
  #watched(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    const outputs = this.traceCall(inputs, options);
    const own = new Set<Variable>(this.weights);
    const untracked = variablesBehind(leavesOf(outputs)).filter(
      (variable) => variable.trainable && !own.has(variable),
    );
    if (untracked.length > 0) {
      const names = untracked.map(({ name }) => `'${name}'`).join(', ');
      warnOnce(
        `${this} uses variables that it doesn't have: ${names}. A model trains and saves the weights of its layers, and ` +
          'these are not among them. To have them trained, write a subclass of Layer that keeps them as properties.',
      );
    }
    return outputs;
  }

  override computeMask(inputs: In, mask: Nest<Tensor | null>): Nest<Tensor | null> {
    return typeof this.mask === 'function' ? this.mask(inputs as never, mask) : (this.mask ?? null);
  }

  /** Errors: ValueError for a function without a registered name. */
  override getConfig(): Record<string, unknown> {
    const { outputShape, mask } = this;
    for (const part of [mask, outputShape]) if (typeof part === 'function') throw unnamed(this.name, part);
    const name = registeredNameOf(this.function);
    if (name === null) throw unnamed(this.name, this.function);
    return { ...super.getConfig(), function: name };
  }
}

function functionOf(layer: string, given: unknown): unknown {
  if (typeof given === 'function') return given;
  const found = typeof given === 'string' ? (customObjectOf(given) ?? registeredAs(given)) : null;
  if (found) return found;
  throw new ValueError({
    op: layer,
    rule: '`function` is a function of tensors, or the name of a registered one.',
    received: `function: ${describe(given)}`,
    hint: 'pass (x) => square(x), or register the function: registerClass(myFunction).',
  });
}

function unnamed(layer: string, part: { name: string }): ValueError {
  return new ValueError({
    op: layer,
    rule: 'a Lambda is saved by the name of its function: files contain no functions.',
    received: `a function that wasn't registered${part.name ? `: ${part.name}` : ''}`,
    hint: "registerClass(myFunction, { package: 'my_models', name: 'my_function' }), or write a subclass of Layer.",
  });
}

function leavesOfShapes(shapes: Nest<OpenShape>): OpenShape[] {
  const found: OpenShape[] = [];
  mapShapes(shapes, (shape) => found.push(shape));
  return found;
}

function requireShapes(layer: string, given: unknown): void {
  if (areShapes(given)) return;
  throw new ValueError({
    op: layer,
    rule: '`outputShape` is a list of sizes without the batch, or a function of the shapes of the inputs.',
    received: `outputShape: ${describe(given)}`,
    hint: 'pass [null, 8], or (shape) => shape; leave it out where the function can be run on symbolic tensors.',
  });
}

/**
 * A function of tensors, made of ops, as a layer: `lambda((x) => square(x))`, or `lambda({ function, outputShape })`.
 * Shapes of outputs are given, or found by running it on symbolic tensors. It should use no variables: the layer doesn't have
 * them, so no model trains or saves them, and a warning says so if any are found.
 * Errors: ValueError for anything but a function, and at `getConfig` for one without a registered name.
 */
export function lambda<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor>(
  given: LambdaFunction<In, Out> | LambdaOptions<In, Out>,
  settings?: LambdaSettings,
): Lambda<NoInfer<In>, NoInfer<Out>>;
export function lambda(...args: unknown[]): unknown {
  return made(...(args as [never]));
}

const made = /* @__PURE__ */ factoryOf(Lambda, ['function']);
