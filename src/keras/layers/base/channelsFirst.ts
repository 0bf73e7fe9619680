/**
 * @file Layers with `dataFormat: 'channelsFirst'`. A layer is written for channels last; here its methods are wrapped, so that inputs
 * are transposed before and outputs after. Shapes, and the sizes that a built layer requires, change in the same way.
 */
import { addToMessage } from '../../../core/errorMessage.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { isBranch, mapNest, type Nest } from '../../../core/nest.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { transpose } from '../../../ops/arrangement/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { declarationOf } from '../../options/declaration.ts';
import { mapShapes } from '../../tensorNest.ts';
import type { InputSpec } from './inputSpec.ts';
import { type AnyLayer, type CallOptions, Layer } from './layer.ts';

/** Where the channels are among the axes, if they aren't last. */
export interface ChannelAxis {
  /** The axis of the channels. A negative one counts from the end, where the number of axes before it varies. */
  readonly axis: number;
  /** Parts of a record of inputs that have no channels. */
  readonly except?: readonly string[];
  /** Options of a call that are tensors with channels. */
  readonly options?: readonly string[];
}

/** Where the axes go: a transposition for each rank. */
type Order = (rank: number) => readonly number[];

/** Changes the methods of `layer` to channels first. Errors: ValueError for an app's class that overrides them. */
export function channelsFirst(layer: AnyLayer, { axis, except = [], options = [] }: ChannelAxis): void {
  requireOwnMethods(layer);
  const { build, call, computeOutputShape } = layer;
  // Between the layer and its class, so that an app's calls enter by these methods.
  const methods = Object.create(Object.getPrototypeOf(layer)) as object;
  Object.setPrototypeOf(layer, methods);
  const replace = (name: string, value: unknown) =>
    Object.defineProperty(methods, name, { value, writable: true, configurable: true });
  const before = (rank: number) => (axis < 0 ? rank + axis : axis);
  const toLast: Order = (rank) => {
    const axes = [...new Array(rank).keys()];
    return [...axes.toSpliced(before(rank), 1), before(rank)];
  };
  const toFirst: Order = (rank) => {
    const axes = [...new Array(rank - 1).keys()];
    return axes.toSpliced(before(rank), 0, rank - 1);
  };
  const parts = <T>(nest: T, change: (part: T) => T): T =>
    isRecord(nest) ? (changeParts(nest, except, change as (part: unknown) => unknown) as T) : change(nest);
  const shapes = (nest: Nest<OpenShape>, order: Order) =>
    parts(nest, (part) => mapShapes(part, (shape) => arranged(shape, order)));
  const tensors = (nest: Nest<Tensor>, order: Order) =>
    parts(nest, (part) => mapNest(part, (x) => transposed(x, order)));

  // What the layer calls of itself gets channels last already.
  let isInside = false;
  const inside = <T>(given: Nest<OpenShape>, last: Nest<OpenShape>, body: () => T): T => {
    isInside = true;
    try {
      return naming(layer, given, last, body);
    } finally {
      isInside = false;
    }
  };

  replace('build', (given: Nest<OpenShape>) => {
    const owner = layer as unknown as { inputSpec: readonly InputSpec[] };
    const specs = owner.inputSpec;
    const last = shapes(given, toLast);
    inside(given, last, () => build.call(layer, last));
    if (owner.inputSpec !== specs) owner.inputSpec = owner.inputSpec.map((spec) => ofFirst(spec, toFirst));
  });
  replace('call', (given: Nest<Tensor>, callOptions: CallOptions) => {
    const last = tensors(given, toLast);
    const states = options.filter((name) => callOptions[name]);
    const moved = states.map((name) => [name, tensors(callOptions[name] as Nest<Tensor>, toLast)]);
    const all = { ...callOptions, ...Object.fromEntries(moved) };
    const outputs = inside(shapesOf(given), shapesOf(last), () => call.call(layer, last, all));
    return tensors(outputs, toFirst);
  });
  // The default calls the layer on symbolic tensors, and needs no change.
  if (computeOutputShape === Layer.prototype.computeOutputShape) return;
  replace('computeOutputShape', (given: Nest<OpenShape>) => {
    if (isInside) return computeOutputShape.call(layer, given);
    const last = shapes(given, toLast);
    return shapes(
      inside(given, last, () => computeOutputShape.call(layer, last)),
      toFirst,
    );
  });
}

function shapesOf(nest: Nest<Tensor>): Nest<OpenShape> {
  return mapNest(nest, ({ shape }) => shape);
}

/** With two axes, batch and channels, both orders are the same. */
function transposed(x: Tensor, order: Order): Tensor {
  return x.rank < 3 ? x : transpose(x, { perm: order(x.rank) });
}

function arranged(shape: OpenShape, order: Order): OpenShape {
  return shape.length < 3 ? shape : order(shape.length).map((axis) => shape[axis] as number | null);
}

/** The spec of inputs with channels first. */
function ofFirst({ axes, ...spec }: InputSpec, toFirst: Order): InputSpec {
  const { rank } = spec;
  if (!axes || rank === undefined) return { ...spec, ...(axes && { axes }) };
  const order = toFirst(rank);
  const moved = Object.entries(axes).map(([axis, size]) => [order.indexOf((+axis + rank) % rank), size]);
  return { ...spec, axes: Object.fromEntries(moved) };
}

function isRecord(nest: unknown): nest is Record<string, unknown> {
  return isBranch(nest) && !Array.isArray(nest);
}

function changeParts(
  nest: Record<string, unknown>,
  except: readonly string[],
  change: (part: unknown) => unknown,
): Record<string, unknown> {
  const entries = Object.entries(nest).map(([key, part]) => [
    key,
    except.includes(key) ? part : change(part),
  ]);
  return Object.fromEntries(entries);
}

/** Runs `body`. Its errors show shapes with channels last; a line says which shapes of the caller these are. */
function naming<T>(layer: AnyLayer, given: Nest<OpenShape>, last: Nest<OpenShape>, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof ShapeError)
      addToMessage(
        error,
        `\n  layout: '${layer.name}' takes channels last: ${describe(given)} is ${describe(last)} above.`,
      );
    throw error;
  }
}

/** An app's methods would get channels last, and pass them on to a layer that expects channels first. */
function requireOwnMethods(layer: AnyLayer): void {
  let type = layer.constructor;
  while (!declarationOf(type)) type = Object.getPrototypeOf(type);
  const prototype = type.prototype as AnyLayer;
  const changed = (['build', 'call', 'computeOutputShape'] as const).find(
    (name) => layer[name] !== prototype[name],
  );
  if (!changed) return;
  throw new ValueError({
    op: layer.name,
    rule: `a class that overrides \`${changed}\` of a layer takes channels last.`,
    received: `dataFormat: 'channelsFirst', for ${describe(layer.constructor.name)}`,
    hint: 'keep the layer in a property, and call it.',
  });
}
