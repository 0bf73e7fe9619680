/** @file Low-rank adapters of models: what the methods of a model delegate to. */
export { enableLora, mergeLora, removeLora, unmergeLora, useAdapter } from './lora.ts';
