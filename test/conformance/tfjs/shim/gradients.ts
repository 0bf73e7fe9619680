/** @file tf.grad and related functions over the library's functional forms; tf.variableGrads over its tape. */
import {
  customGradient,
  grad as gradOf,
  type GradOptions,
  GradientTape,
  grads as gradsOf,
  TapeError,
  Tensor,
  tidy,
  valueAndGrad as valueAndGradOf,
  valueAndGrads as valueAndGradsOf,
  Variable,
} from '../../../../src/index.ts';
import { inTheirWords, type Loose, rejectUnless, toTensor } from './call.ts';
import { registeredVariables } from './engine.ts';
import { notOffered } from './notOffered.ts';

/** Gradients flow through floats alone, as in TensorFlow; TF.js gives integers float gradients. */
function requireFloats(inputs: readonly Loose[]): void {
  for (const x of inputs)
    if (x instanceof Tensor && x.dtype !== 'float32')
      notOffered(`gradients with respect to integers and bools (null by TensorFlow's rule)`);
}

/** Ops that have no gradient in TensorFlow, and one of zeros in TF.js: the library returns zeros if requested. */
const withoutGradient =
  /disconnected at '(argMax|argMin|equal|notEqual|less|lessEqual|greater|greaterEqual|isNaN|isInf|isFinite|onesLike|zerosLike)'/;

/** The gradient of an input that the value doesn't depend on. */
type Unconnected = Pick<GradOptions, 'unconnectedGradients'>;

function guarded<T>(name: string, body: (options: Unconnected) => T): T {
  try {
    return tidy(() => orZeros(body));
  } catch (error) {
    // Errors of the differentiated function belong to the test.
    throw error instanceof Error && error.constructor === Error ? error : inTheirWords(error, name, [], []);
  }
}

function orZeros<T>(body: (options: Unconnected) => T): T {
  try {
    return body({});
  } catch (error) {
    if (error instanceof TapeError && withoutGradient.test(error.message))
      return body({ unconnectedGradients: 'zero' });
    throw error;
  }
}

function requireFunction(name: string, f: Loose): void {
  rejectUnless(typeof f === 'function', `The f passed in ${name}(f) must be a function`);
}

const given = (dy: Loose): Tensor | undefined => (dy === undefined || dy === null ? undefined : toTensor(dy));

export function grad(f: Loose): Loose {
  requireFunction('grad', f);
  return (x: Loose, dy: Loose) =>
    guarded('grad', (options) => {
      const input = toTensor(x);
      requireFloats([input]);
      return gradOf(f, options)(input, given(dy));
    });
}

export function grads(f: Loose): Loose {
  requireFunction('grads', f);
  return (args: Loose, dy: Loose) =>
    guarded('grads', (options) => {
      rejectUnless(Array.isArray(args), 'The args passed in grads(f)(args) must be an array');
      const inputs = args.map((x: Loose) => toTensor(x));
      requireFloats(inputs);
      return gradsOf(f, options)(inputs, given(dy));
    });
}

export function valueAndGrad(f: Loose): Loose {
  requireFunction('valueAndGrad', f);
  return (x: Loose, dy: Loose) =>
    guarded('valueAndGrad', () => {
      rejectUnless(x instanceof Tensor, 'The x passed in valueAndGrad(f)(x) must be a tensor');
      requireFloats([x]);
      return valueAndGradOf(f)(x, given(dy));
    });
}

export function valueAndGrads(f: Loose): Loose {
  requireFunction('valueAndGrads', f);
  return (args: Loose, dy: Loose) =>
    guarded('valueAndGrads', () => {
      requireFloats(args);
      return valueAndGradsOf(f)(args, given(dy));
    });
}

/** Returns the gradients of a scalar function with respect to `variables`, by name; all trainable ones by default. */
export function variableGrads(f: Loose, variables?: Loose): Loose {
  requireFunction('variableGrads', f);
  rejectUnless(
    variables === undefined || variables === null || variables.every((v: Loose) => v instanceof Variable),
    'The varList passed in variableGrads(f, varList) must be an array of variables',
  );
  const chosen: Variable[] = [...(variables ?? registeredVariables())].filter((v) => v.trainable);
  rejectUnless(
    chosen.length > 0,
    'variableGrads() expects at least one of the input variables to be trainable',
  );
  return guarded('variableGrads', () => {
    using tape = new GradientTape({ watchAccessedVariables: false });
    tape.watch(chosen);
    const value = f();
    rejectUnless(value?.rank === 0, 'The f passed in variableGrads(f) must return a scalar');
    const found = tape.gradient(value, chosen) as (Tensor | null)[];
    rejectUnless(
      found.some((gradient) => gradient !== null),
      'Cannot find a connection between any variable and the result of the loss function y=f(x).',
    );
    const named = Object.fromEntries(chosen.map((v, i) => [v.name, found[i]]));
    return { value, grads: named };
  });
}

export function customGrad(f: Loose): Loose {
  requireFunction('customGrad', f);
  return (...args: Loose[]) => {
    const inputs = args.map((x) => toTensor(x));
    rejectUnless(
      inputs.every((x) => x instanceof Tensor),
      'The args passed in customGrad(f)(x1, x2,...) must all be tensors',
    );
    return customGradient((...tensors) => {
      let saved: Tensor[] = [];
      const { value, gradFunc } = f(...tensors, (list: Tensor[]) => {
        saved = list;
      });
      rejectUnless(
        value instanceof Tensor,
        'The function f passed in customGrad(f) must return an object where `obj.value` is a tensor',
      );
      rejectUnless(
        typeof gradFunc === 'function',
        'The function f passed in customGrad(f) must return an object where `obj.gradFunc` is a function.',
      );
      return { value, gradient: (dy) => gradFunc(dy, saved) };
    })(...inputs);
  };
}
