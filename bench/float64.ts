/** @file Plain networks in float64 on the host, forward only: oracles of training steps. Row-major, NHWC and HWIO. */

export interface Image {
  batch: number;
  height: number;
  width: number;
  channels: number;
  values: Float64Array;
}

/** x · w + b, of x [rows, inputs] and w [inputs, outputs]. */
export function dense(
  x: Float64Array,
  rows: number,
  w: ArrayLike<number>,
  b: ArrayLike<number> | null,
): Float64Array {
  const inputs = x.length / rows;
  const outputs = w.length / inputs;
  const y = new Float64Array(rows * outputs);
  // Engines compile the inner loop well for one type of array.
  const weights = w instanceof Float64Array ? w : Float64Array.from(w);
  for (let row = 0; row < rows; row++) {
    const sums = y.subarray(row * outputs, (row + 1) * outputs);
    if (b) sums.set(b);
    for (let i = 0; i < inputs; i++) {
      const factor = x[row * inputs + i] as number;
      if (factor !== 0) addScaled(sums, factor, weights, i * outputs);
    }
  }
  return y;
}

function addScaled(sums: Float64Array, factor: number, values: Float64Array, from: number): void {
  for (let j = 0; j < sums.length; j++) (sums[j] as number) += factor * (values[from + j] as number);
}

export const relu = (x: Float64Array) => x.map((v) => Math.max(v, 0));
export const sigmoid = (v: number) => 1 / (1 + Math.exp(-v));

/** Computes a 3×3 convolution with padding 'same', a bias and a ReLU. */
export function convolveAndRectify(x: Image, w: ArrayLike<number>, b: ArrayLike<number>): Image {
  const { batch, height, width, channels } = x;
  const filters = b.length;
  const values = new Float64Array(batch * height * width * filters);
  for (let image = 0; image < batch; image++) {
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const to = ((image * height + row) * width + column) * filters;
        for (let o = 0; o < filters; o++) values[to + o] = b[o] as number;
        for (let tap = 0; tap < 9; tap++) {
          const y = row + Math.floor(tap / 3) - 1;
          const z = column + (tap % 3) - 1;
          if (y < 0 || y >= height || z < 0 || z >= width) continue;
          const from = ((image * height + y) * width + z) * channels;
          for (let i = 0; i < channels; i++) {
            const factor = x.values[from + i] as number;
            if (factor === 0) continue;
            const weights = (tap * channels + i) * filters;
            for (let o = 0; o < filters; o++)
              (values[to + o] as number) += factor * (w[weights + o] as number);
          }
        }
        for (let o = 0; o < filters; o++) values[to + o] = Math.max(0, values[to + o] as number);
      }
    }
  }
  return { batch, height, width, channels: filters, values };
}

/** Computes the largest of each 2×2 block. */
export function maxPool({ batch, height, width, channels, values }: Image): Image {
  const [rows, columns] = [height >> 1, width >> 1];
  const result = new Float64Array(batch * rows * columns * channels);
  let to = 0;
  for (let image = 0; image < batch; image++) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const corner = ((image * height + 2 * row) * width + 2 * column) * channels;
        for (let c = 0; c < channels; c++) {
          const at = (y: number, x: number) => values[corner + (y * width + x) * channels + c] as number;
          result[to++] = Math.max(at(0, 0), at(0, 1), at(1, 0), at(1, 1));
        }
      }
    }
  }
  return { batch, height: rows, width: columns, channels, values: result };
}

/** Computes the mean over rows of -Σ labels · log softmax(logits). */
export function crossEntropy(logits: Float64Array, labels: ArrayLike<number>, rows: number): number {
  const classes = logits.length / rows;
  let total = 0;
  for (let row = 0; row < rows; row++) {
    const line = logits.subarray(row * classes, (row + 1) * classes);
    const largest = line.reduce((a, b) => Math.max(a, b));
    const logSum = largest + Math.log(line.reduce((sum, v) => sum + Math.exp(v - largest), 0));
    for (let j = 0; j < classes; j++)
      total += (labels[row * classes + j] as number) * (logSum - (line[j] as number));
  }
  return total / rows;
}
