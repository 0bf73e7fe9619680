/**
 * @file Hints for properties that tensors of other libraries have: methods of TF.js, PyTorch and NumPy, `x.length`, `x[0]`,
 * `for (const row of x)`, and assignments. Using one throws an error with a hint. This module is loaded with the device. Existing
 * properties cost nothing: only lookups of missing ones reach the end of the prototype chain.
 */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { foldName } from '../core/suggest.ts';
import { propertyGuard } from './propertyGuard.ts';
import { Tensor } from './tensor.ts';

const rows = 'unstack(x, { axis: 0 }) gives the rows as tensors, `await x.array()` the values.';
const values = '`await x.data()`, `await x.array()` and `await x.item()` read the values.';
const variables =
  'take gradients by gradients(() => loss, [v]) or a GradientTape, with respect to variable(x).';
const fixed = 'make another tensor by an op, or use v.assign(x) of a variable.';

/** Ops that other libraries have as methods, in canonical spelling after `:` where the name differs. */
const ops =
  'abs add all any argMax argMin cast clip concat div dot:matMul equal exp expandDims gather greater less log matMul max maximum mean min ' +
  'minimum mul neg norm pad pow prod relu repeat reshape round sigmoid slice softmax sort split sqrt square squeeze std sub sum tanh tile ' +
  'transpose unstack where mm:matMul multiply:mul view:reshape flatten:reshape ravel:reshape unsqueeze:expandDims permute:transpose ' +
  't:transpose clamp:clip take:gather detach:stopGradient clone:identity copy:identity asType:cast toFloat:cast toInt:cast float:cast ' +
  'double:cast half:cast long:cast int:cast bool:cast';

/** Other names, with their hints. */
const others: readonly [names: string, hint: string][] = [
  ['dataSync arraySync numpy tolist print readValue', values],
  ['backward grad requiresGrad zeroGrad', variables],
  ['cpu cuda to', 'leave it out: tensors live on the device that init() opened.'],
  ['assignAdd assignSub', 'v.assign(add(v, x)), or sub.'],
  ['length', `x.shape[0] or x.size; ${rows}`],
  ['map forEach filter', rows],
  ['ndim dim', 'x.rank.'],
  ['numel', 'x.size.'],
  ['nbytes', 'x.bytes.'],
  ['isDisposed', 'x.disposed.'],
  ['assign', 'only variables have other values later: variable(x).'],
];

/** Hints for assignments alone. */
const assigned: Readonly<Record<string, string>> = {
  shape: 'reshape(x, { shape }) makes another tensor.',
  dtype: "cast(x, 'int32') makes another tensor.",
  trainable: 'variable(x) is trainable, a tensor is not.',
  value: fixed,
  values: fixed,
};

let hints: Map<string, string> | undefined;

/** Returns the hint for the property `name`. Undefined if the name may be the app's. */
function hintFor(name: string): string | undefined {
  if (/^-?\d+$/.test(name)) return rows;
  hints ??= new Map([
    ...ops.split(' ').map((entry): [string, string] => {
      const [method = '', op = method] = entry.split(':');
      return [foldName(method), `it is a function: ${op}(x, …).`];
    }),
    ...others.flatMap(([names, hint]) =>
      names.split(' ').map((name): [string, string] => [foldName(name), hint]),
    ),
  ]);
  return hints.get(foldName(name));
}

const guarded = new WeakSet<object>();

/** Makes unsupported properties of tensors throw when they are read or assigned. */
export function guardTensorProperties(): void {
  propertyGuard.guard = guardPrototype;
  guardPrototype(Tensor.prototype);
}

/** Does so for the tensor class with this `prototype`. */
function guardPrototype(prototype: object): void {
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  fixAccessors(prototype);
  if (!(Symbol.iterator in prototype)) Object.defineProperty(prototype, Symbol.iterator, { value: iterate });
  const base = Object.getPrototypeOf(prototype);
  Object.setPrototypeOf(
    prototype,
    new Proxy(base, {
      get(_, name, owner) {
        const hint =
          typeof name === 'string' && !(name in base) && isTensor(owner) ? hintFor(name) : undefined;
        if (hint === undefined) return Reflect.get(base, name, owner);
        throw new ValueError({
          rule: `a tensor has no \`${String(name)}\`.`,
          received: `${name as string} of ${owner}`,
          hint,
        });
      },
      set(_, name, value, owner) {
        const hint =
          typeof name === 'string' && isTensor(owner) ? (assigned[name] ?? hintFor(name)) : undefined;
        if (hint === undefined) return Reflect.set(base, name, value, owner);
        throw rejectedAssignment(owner, String(name), value, hint);
      },
    }),
  );
}

/** Returns whether `owner` is a tensor, not a subclass prototype. */
function isTensor(owner: object): boolean {
  return !Object.hasOwn(owner, 'constructor');
}

/**
 * Adds a setter that throws an error with a hint to accessors without a setter, and to `data`, which is a property of PyTorch's
 * tensors.
 * Otherwise JavaScript would throw a TypeError without a hint.
 */
function fixAccessors(prototype: object): void {
  for (const [name, { get, set, value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (set || (!get && name !== 'data')) continue;
    Object.defineProperty(prototype, name, {
      get: get ?? (() => value),
      set(value: unknown) {
        throw rejectedAssignment(this, name, value, assigned[name] ?? fixed);
      },
    });
  }
}

function rejectedAssignment(owner: object, name: string, value: unknown, hint: string): ValueError {
  return new ValueError({
    rule: `\`${name}\` of a tensor cannot be assigned.`,
    received: `${name} = ${describe(value)} for ${owner}`,
    hint,
  });
}

/** The number of open iterations that nothing has read yet. */
let opened: { count: number } | null = null;

/**
 * `for (const row of x)`, `[...x]`. Test matchers open the iterators of both values before they read one, and then compare
 * properties:
 * for them it ends, so that tensors are compared by id.
 */
function iterate(this: object): Iterator<never> {
  opened ??= { count: 0 };
  const own = opened;
  own.count++;
  const forget = () => {
    opened = null;
  };
  queueMicrotask(forget);
  return {
    next: () => {
      forget();
      if (own.count > 1) return { done: true, value: undefined };
      throw new ValueError({
        rule: 'a tensor cannot be iterated over: its values are on the device.',
        received: `iteration of ${this}`,
        hint: rows,
      });
    },
  };
}
