/**
 * @file Columns of a layer's input, gathered at a constant index: validated and unchecked, with history and gradient. And a
 * mask with `where`, which needs no gather.
 */
import { explainHistory, gather, GradientTape, init, sum, type Tensor, tensor, where } from 'retrograd';
import { Layer } from 'retrograd/keras';

/** Some columns of its input. Shapes: [batch, features] → [batch, columns]. */
class Columns extends Layer {
  static override readonly className = 'Columns';

  constructor(
    readonly columns: readonly number[],
    readonly validateIndices: boolean,
  ) {
    super({ name: validateIndices ? 'validated' : 'unchecked' });
  }

  override call(x: Tensor): Tensor {
    return gather(x, [...this.columns], { axis: 1, validateIndices: this.validateIndices });
  }
}

/** The same columns kept in place, zeros elsewhere. Shapes: [batch, features] → [batch, features]. */
class Masked extends Layer {
  static override readonly className = 'Masked';

  constructor(readonly columns: readonly number[]) {
    super({ name: 'masked' });
  }

  override call(x: Tensor): Tensor {
    const kept = Array.from({ length: x.shape[1] ?? 0 }, (_, column) => this.columns.includes(column));
    return where(tensor([kept]), x, 0);
  }
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  const x = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  for (const layer of [new Columns([2, 0], true), new Columns([2, 0], false), new Masked([2, 0])]) {
    const tape = new GradientTape();
    tape.watch(x);
    const out = layer.apply(x);
    const gradient = tape.gradient(sum(out), x);
    print(`${layer.name}: ${JSON.stringify(await out.array())}`);
    print(`  history: ${explainHistory(out).why}`);
    print(`  gradient of the input: ${JSON.stringify(await gradient?.array())}`);
  }

  print('\nColumn 3 of 3:');
  try {
    new Columns([3], true).apply(x);
  } catch (error) {
    print(`  ${String(error).replaceAll('\n', '\n  ')}`);
  }
  print(`  unchecked: ${JSON.stringify(await new Columns([3], false).apply(x).array())}, and no error`);
}
