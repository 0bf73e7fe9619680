/** @file What is weighed of ONNX Runtime: what opens a model and runs it; gradients it has none. */
export { env, InferenceSession, Tensor } from 'onnxruntime-web/webgpu';
