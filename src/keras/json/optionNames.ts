/** @file Option names in JavaScript's and in Keras's spelling. */

/** Exceptions to the rule. */
const exceptions: Readonly<Record<string, string>> = {
  beta1: 'beta_1',
  beta2: 'beta_2',
  beta2Decay: 'beta_2_decay',
  adamBeta1: 'adam_beta_1',
  adamBeta2: 'adam_beta_2',
  epsilon1: 'epsilon_1',
  epsilon2: 'epsilon_2',
  keepDims: 'keepdims',
};

/** Options whose values are names, too. */
const named = new Set([
  'activation',
  'dtype',
  'recurrentActivation',
  'dataFormat',
  'mode',
  'distribution',
  'outputMode',
]);

/** `use_bias` → `useBias`. */
export function camelKey(key: string): string {
  const found = Object.entries(exceptions).find(([, snake]) => snake === key);
  return found?.[0] ?? camel(key);
}

/** `useBias` → `use_bias`. */
export function snakeKey(key: string): string {
  return Object.hasOwn(exceptions, key) ? (exceptions[key] as string) : snake(key);
}

/** Returns whether the value of option `key`, in camel case, is a name of Keras's. */
export function isNamed(key: string): boolean {
  return named.has(key);
}

export function camel(text: string): string {
  return text.replace(/(?<=.)_+([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

export function snake(text: string): string {
  return text.replace(/(?<=.)([A-Z])/g, '_$1').toLowerCase();
}
