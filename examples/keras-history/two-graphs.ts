/** @file An output of one graph and an input of another: the error names the missing input, and the path to it. */
import { GraphDisconnectedError, init } from 'retrograd';
import { input, layers, model } from 'retrograd/keras';

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  const a = input({ shape: [4], name: 'a' });
  const b = input({ shape: [4], name: 'b' });
  const fromA = layers.dense({ units: 2, name: 'dense_a' }).apply(a);
  const fromB = layers.dense({ units: 2, name: 'dense_b' }).apply(b);
  const both = layers.add({ name: 'both' }).apply([fromA, fromB]);
  for (const [what, inputs, outputs] of [
    ['the input of the other graph', b, fromA],
    ['one input of two', a, both],
  ] as const) {
    try {
      model({ inputs, outputs });
    } catch (error) {
      print(`${what}: GraphDisconnectedError: ${error instanceof GraphDisconnectedError}`);
      print(`  ${String(error).replaceAll('\n', '\n  ')}`);
    }
  }
  const joined = model({ inputs: [a, b], outputs: both });
  print(`with both inputs: ${joined.layers.length} layers`);
}
