/** @file ONNX Runtime's first result. */
import * as ort from 'onnxruntime-web/webgpu';
import { OnnxGraph } from '../onnx/graph.ts';
import { type FirstResult, size } from './matMul.ts';

export const firstResult: FirstResult = async () => {
  ort.env.wasm.numThreads = 1;
  const graph = new OnnxGraph();
  const shape = [size, size];
  const [a, b] = [graph.input('float32', shape), graph.input('float32', shape)];
  const product = graph.node('MatMul', [a, b]);
  graph.output(product, shape);
  const session = await ort.InferenceSession.create(graph.encode(), { executionProviders: ['webgpu'] });
  const ones = () => new ort.Tensor('float32', new Float32Array(size * size).fill(1), shape);
  const results = await session.run({ [a]: ones(), [b]: ones() });
  return results[product]?.data as Float32Array;
};
