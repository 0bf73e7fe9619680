/**
 * @file A custom layer that gathers rows of a learned table: validated on the device, unchecked, and through a new tensor
 * created on the host. For each: the history, the gradient, and what a bad index does.
 */
import {
  explainHistory,
  freshTensor,
  GradientTape,
  gather,
  gatherOnHost,
  init,
  sum,
  type Tensor,
  tensor,
  type Variable,
} from 'retrograd';
import { Layer } from 'retrograd/keras';

/** Rows of a table, by their numbers. Shapes: [batch, length] int32 → [batch, length, width]. */
class Lookup extends Layer {
  static override readonly className: string = 'Lookup';
  table!: Variable;

  constructor(
    readonly rows: number,
    readonly width: number,
    readonly validateIndices: boolean,
  ) {
    super({ name: validateIndices ? 'validated' : 'unchecked' });
  }

  override build(): void {
    const initializer = 'ones';
    this.table = this.addWeight('table', { shape: [this.rows, this.width], initializer });
  }

  override call(indices: Tensor): Tensor {
    return gather(this.table, indices, { validateIndices: this.validateIndices });
  }
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  const good = tensor([[0, 2, 2]], { dtype: 'int32' });
  const bad = tensor([[0, 7, 2]], { dtype: 'int32' });

  for (const validate of [true, false]) {
    using layer = new Lookup(3, 2, validate);
    print(`\n${layer.name}`);
    using tape = new GradientTape({ persistent: true });
    const rows = layer.apply(good);
    print(`  history: ${explainHistory(rows).why}`);
    const gradient = tape.gradient(sum(rows), layer.table);
    print(`  gradient, by row: ${JSON.stringify(await gradient?.array())}`);
    try {
      print(`  with index 7: ${JSON.stringify(await layer.apply(bad).array())}, and no word of it`);
    } catch (error) {
      print(`  with index 7: ${(error as Error).message.replaceAll('\n', '\n  ')}`);
    }
    const after = await layer.apply(good).array();
    print(`  and afterwards the device goes on: ${JSON.stringify(after)}`);
  }

  print('\nthrough a fresh tensor');
  using layer = new Lookup(3, 2, true);
  layer.apply(good);
  const { table } = layer;
  using tape = new GradientTape({ persistent: true });
  const rows = freshTensor(await gatherOnHost(table, good));
  const loss = sum(rows);
  print(`  history: ${explainHistory(rows).why}`);
  print(`  gradient: ${tape.gradient(loss, table)}`);
  print(`  ${tape.explain(loss, table).text.replaceAll('\n', '\n  ')}`);
}
