/** @file The measured parts of TF.js with its WebGPU backend: the same four, and the gradients of all ops, which it registers. */
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import '@tensorflow/tfjs-backend-webgpu';

export { conv2d, gather, grad, matMul, setBackend, tensor } from '@tensorflow/tfjs-core';
