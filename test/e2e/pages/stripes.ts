/** @file A small convolutional network and pictures that it can learn, for the pages that train. */
import {
  callbacks,
  clearSession,
  initializers,
  layers,
  type Sequential,
  sequential,
} from '../../../src/keras/index.ts';

export { callbacks };

const size = 12;
const classes = 3;

/** Pictures of stripes: across, down and along the diagonal, each at its own pace; and which they are. */
export function stripes(count: number): { x: Float32Array<ArrayBuffer>; y: Int32Array<ArrayBuffer> } {
  const x = new Float32Array(count * size * size);
  const y = new Int32Array(count);
  for (let i = 0, at = 0; i < count; i++) {
    y[i] = i % classes;
    const pace = 0.8 + 0.9 * Math.abs(Math.sin(i * 1.7));
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        x[at++] = Math.sin(pace * ([row, column, row + column][i % classes] as number) + i);
      }
    }
  }
  return { x, y };
}

/** The network, compiled, with the same weights each time. */
export function classifier(): Sequential {
  clearSession();
  const kernelInitializer = (seed: number) => initializers.glorotUniform({ seed });
  const net = sequential([
    layers.inputLayer({ shape: [size, size, 1] }),
    layers.conv2d({ filters: 8, kernelSize: 3, activation: 'relu', kernelInitializer: kernelInitializer(1) }),
    layers.batchNormalization(),
    layers.maxPooling2d(),
    layers.conv2d({ filters: 8, kernelSize: 3, activation: 'relu', kernelInitializer: kernelInitializer(2) }),
    layers.flatten(),
    layers.dropout({ rate: 0.1, seed: 4 }),
    layers.dense({ units: classes, activation: 'softmax', kernelInitializer: kernelInitializer(3) }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] });
  return net;
}
