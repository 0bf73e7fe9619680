/**
 * @file Values computed before the tape was opened are constants for it: gradients of the variables behind them are null, and
 * `tape.explain` names the call that came too early. For an op and for a layer.
 */
import { GradientTape, init, mul, setRandomSeed, square, sum, tensor, variable } from 'retrograd';
import { layers } from 'retrograd/keras';

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const x = tensor([[1, 2]]);
  const w = variable(tensor([[3, 4]]), { name: 'w' });
  const dense = layers.dense({ units: 1, name: 'dense' });
  dense.ensureBuilt([1, 2]);
  const [kernel] = dense.trainableWeights;

  const early = { op: mul(x, w), layer: dense.apply(x) };
  for (const [what, constant] of Object.entries(early)) {
    const source = what === 'op' ? w : kernel;
    if (!source) continue;
    const tape = new GradientTape({ persistent: true });
    const loss = sum(square(constant));
    print(`\nby ${what === 'op' ? 'an op' : 'a layer'}: gradient ${tape.gradient(loss, source)}`);
    print(tape.explain(loss, source).text);
    tape.dispose();
  }

  const tape = new GradientTape();
  const gradient = tape.gradient(sum(square(mul(x, w))), w);
  print(`\ncomputed while the tape records: ${JSON.stringify(await gradient?.array())}`);
}
