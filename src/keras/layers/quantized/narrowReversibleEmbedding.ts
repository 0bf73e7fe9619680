/** @file A reversible embedding whose rows are floats of 16 bits. They aren't trained; an adapter over them is. */
import type { NarrowFloat } from '../../../core/packedWeights.ts';
import type { Shape } from '../../../core/shape.ts';
import { dequantize, quantizedGather, quantizedMatMul } from '../../../ops/products/quantized.ts';
import type { QuantizedTensor } from '../../../tensor/quantizedTensor.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { ReversibleEmbedding } from '../core/reversibleEmbedding.ts';
import type { FileForm } from './fileForm.ts';
import { narrowMatrix, narrowTable } from './narrowWeights.ts';
import type { Quantization } from './quantization.ts';
import { adder, frozen, type Quantized, valuesOf } from './quantizedLayer.ts';
import type { FileValues } from './requantize.ts';
import { upTo } from './upTo.ts';

/** The rows of built layers: of the embedding, and of the reverse, which may be the same. */
const tables = new WeakMap<object, Tables>();

interface Tables {
  readonly rows: QuantizedTensor;
  readonly reverse: QuantizedTensor;
}

const tablesOf = (layer: object) => tables.get(layer) as Tables;

export class NarrowReversibleEmbedding extends ReversibleEmbedding implements Quantized {
  static override readonly className: string = 'ReversibleEmbedding';
  static readonly builtIn = ReversibleEmbedding;
  quantization: Quantization | null = null;
  savedVariables: readonly Variable[] = [];
  readonly elementTypes = new Map<Variable, 'int8' | 'uint8'>();
  readonly fileForms = new Map<Variable, FileForm>();

  override build(): void {
    const { inputDim, outputDim, tieWeights } = this;
    const format = (this.quantization as Quantization).mode as NarrowFloat;
    const adding = adder(this);
    const table = narrowTable(format, inputDim, outputDim, adding);
    this.savedVariables = [table.variable];
    tables.set(this, { rows: table.packed, reverse: table.packed });
    this.buildAdapter();
    if (tieWeights) return;
    // Files have [outputDim, inputDim]; the lines that are summed are those of the ids.
    const reverse = narrowMatrix(
      {
        name: 'reverse_embeddings',
        format,
        file: [outputDim, inputDim],
        places: { rows: upTo(outputDim, inputDim), columns: upTo(inputDim) },
      },
      adding,
    );
    this.reverseEmbeddings = reverse.variable;
    this.savedVariables = [table.variable, reverse.variable];
    tables.set(this, { rows: table.packed, reverse: reverse.packed });
  }

  protected override get adaptable(): readonly ['embeddings', Variable | null] {
    return ['embeddings', this.savedVariables[0] ?? null];
  }

  override get adaptableShape(): Shape | null {
    return this.savedVariables.length > 0 ? [this.inputDim, this.outputDim] : null;
  }

  override get isMergeable(): boolean {
    return false;
  }

  /** The values of a file: those of the sum of rows and adapter. */
  async mergedValues(): Promise<FileValues> {
    return this.requantized(await valuesOf(() => this.adapted()));
  }

  requantized(values: Float32Array): FileValues {
    return new Map([[this.savedVariables[0] as Variable, values]]);
  }

  protected override base(): Tensor {
    return dequantize(tablesOf(this).rows);
  }

  protected override rowsAt(indices: Tensor): Tensor {
    return quantizedGather(tablesOf(this).rows, indices);
  }

  protected override timesRows(x: Tensor): Tensor {
    return quantizedMatMul(x, tablesOf(this).reverse);
  }

  addFrozen(name: string, shape: Shape, dtype: 'int32' | 'uint32' | 'float32'): Variable {
    return this.addWeight(name, { shape, dtype, ...frozen });
  }
}
