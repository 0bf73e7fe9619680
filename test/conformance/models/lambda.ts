/** @file Lambda layers: their code is rejected; with functions in its place the model computes the same as in Keras. */
import { add, mul, sub, type Tensor, UnsafeModelError } from '../../../src/index.ts';
import { modelFromJSON } from '../../../src/keras/index.ts';
import type { Check } from './underTest.ts';

type LambdaFunction = (x: Tensor) => Tensor;

/** The functions of the fixtures, by the numbers in their bytecode. */
const known: readonly { numbers: number[]; compute: LambdaFunction }[] = [
  { numbers: [2, 1], compute: (x) => add(mul(x, 2), 1) },
  { numbers: [3], compute: (x) => sub(mul(x, x), 3) },
];

interface LambdaConfig {
  class_name: string;
  config: { name: string; function: { config: { code: string } } };
}

/** Functions for the Lambda layers of a model, by the layers' names. */
export function lambdaOf(config: string): Record<string, LambdaFunction> {
  const { layers } = JSON.parse(config).config as { layers: LambdaConfig[] };
  const lambdas = layers.filter((layer) => layer.class_name === 'Lambda');
  return Object.fromEntries(
    lambdas.map(({ config: { name, function: stored } }) => [name, functionOf(stored.config.code)]),
  );
}

function functionOf(code: string): LambdaFunction {
  const bytes = atob(code.replace(/\s/g, ''));
  const found = known.find(({ numbers }) => numbers.every((number) => bytes.includes(doubleOf(number))));
  if (found) return found.compute;
  throw new Error('the fixture has a Lambda whose code is not known here: say in lambda.ts what it computes');
}

/** Returns a double as its bytes in the code. */
function doubleOf(number: number): string {
  return String.fromCharCode(...new Uint8Array(Float64Array.of(number).buffer));
}

export const checkLambda: Check = async ({ files }) => {
  if (!files.config.includes('__lambda__')) return null;
  try {
    modelFromJSON(files.config);
  } catch (error) {
    return error instanceof UnsafeModelError ? [] : [`rejected with ${error}, expected an UnsafeModelError`];
  }
  return ['a model with Python code was not rejected'];
};
