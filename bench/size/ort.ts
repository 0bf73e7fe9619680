/** @file The measured parts of ONNX Runtime: opening and running a model; it has no gradients. */
export { env, InferenceSession, Tensor } from 'onnxruntime-web/webgpu';
