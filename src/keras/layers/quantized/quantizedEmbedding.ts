/** @file Embeddings whose rows are quantized, or floats of 16 bits. */
import { isNarrowFloat, type NarrowFloat } from '../../../core/packedWeights.ts';
import type { Shape } from '../../../core/shape.ts';
import { gather } from '../../../ops/indexing/gather.ts';
import { dequantize, quantizedGather, quantizedMatMul } from '../../../ops/products/quantized.ts';
import { range } from '../../../ops/creation/range.ts';
import type { QuantizedTensor } from '../../../tensor/quantizedTensor.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { Embedding } from '../core/embedding.ts';
import { byGroups, unpacked } from './arithmetic.ts';
import { narrowMatrix, narrowTable } from './narrowWeights.ts';
import type { Quantization } from './quantization.ts';
import { adder, quantized } from './quantizedLayer.ts';
import { packedMatrix, readsGroups } from './quantizedWeights.ts';
import { type FileValues, quantizedValues } from './quantizer.ts';
import { upTo } from './upTo.ts';
import { ReversibleEmbedding } from '../core/reversibleEmbedding.ts';

/** The rows of built layers, where kernels read them. */
const packedTables = new WeakMap<object, QuantizedTensor>();

export class QuantizedEmbedding extends /* @__PURE__ */ quantized(Embedding) {
  static override readonly className: string = 'Embedding';

  override build(): void {
    const { inputDim, outputDim } = this;
    const { mode, block } = this.quantization as Quantization;
    const adding = adder(this);
    if (isNarrowFloat(mode)) {
      const { packed, variable } = narrowTable(mode, inputDim, outputDim, adding);
      packedTables.set(this, packed);
      this.savedVariables = [variable];
      this.buildAdapter();
      return;
    }
    const isPacked = mode === 'int4';
    const file = [inputDim, isPacked ? Math.ceil(outputDim / 2) : outputDim];
    const blockOfRow = isPacked ? block : null;
    if (readsGroups(outputDim, blockOfRow)) {
      const places = { rows: upTo(outputDim), columns: upTo(inputDim, outputDim) };
      const format = isPacked ? 'int4' : 'int8';
      const { packed, saved } = packedMatrix(
        { name: 'embeddings', format, file, places, perLine: outputDim, block: blockOfRow },
        { shape: null, transposed: false },
        adding,
      );
      packedTables.set(this, packed);
      this.savedVariables = saved;
      this.buildAdapter();
      return;
    }
    const rows = adding.plain('embeddings', file, 'int8');
    const groups = Math.ceil(outputDim / (block as number));
    this.savedVariables = [
      rows,
      adding.plain('embeddings_scale', [inputDim, groups], 'float32'),
      adding.plain('embeddings_zero', [inputDim, groups], 'int8'),
      adding.plain('g_idx', [outputDim], 'float32'),
    ];
    this.buildAdapter();
  }

  protected override get adaptable(): readonly ['embeddings', Variable | null] {
    return ['embeddings', this.savedVariables[0] ?? null];
  }

  override get adaptableShape(): Shape | null {
    return this.savedVariables.length > 0 ? [this.inputDim, this.outputDim] : null;
  }

  /** Values of the rows as those of the weights. */
  requantized(values: Float32Array): FileValues {
    const { inputDim, outputDim } = this;
    const { mode, block } = this.quantization as Quantization;
    const lines = { values, lines: inputDim, length: outputDim, isAlongRows: true };
    const saved = this.savedVariables as readonly [Variable, Variable, Variable?, Variable?];
    if (isNarrowFloat(mode)) return new Map([[saved[0], values]]);
    return quantizedValues(lines, mode === 'int4', block, outputDim, saved);
  }

  protected override base(): Tensor {
    return this.rowsAt(range(0, this.inputDim, { dtype: 'int32' }));
  }

  protected override rowsAt(indices: Tensor): Tensor {
    const table = packedTables.get(this);
    if (table) return quantizedGather(table, indices);
    const [rows, scales, zeros, groups] = this.savedVariables as [Variable, Variable, Variable, Variable];
    const found = (of: Tensor) => gather(of, indices, { axis: 0 });
    const integers = unpacked(found(rows), -1, this.outputDim, true);
    return byGroups(integers, { scale: found(scales), zero: found(zeros), groups, axis: indices.rank });
  }
}

/** The rows of built layers: of the embedding, and of the reverse, which may be the same. */
const tables = new WeakMap<object, Tables>();

interface Tables {
  readonly rows: QuantizedTensor;
  readonly reverse: QuantizedTensor;
}

const tablesOf = (layer: object) => tables.get(layer) as Tables;

export class NarrowReversibleEmbedding extends /* @__PURE__ */ quantized(ReversibleEmbedding) {
  static override readonly className: string = 'ReversibleEmbedding';

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
}
