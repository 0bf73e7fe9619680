/** @file The callbacks. */
export {
  Callback,
  type CallbackModel,
  type CallbackOptimizer,
  type HookResult,
  type Logs,
  type RunParams,
} from './callback.ts';
export { type CallbackLike, CallbackList, type CallbackListOptions, type LogReader } from './callbackList.ts';
export { History, type HistoryJSON } from './history.ts';
export { type Hooks, LambdaCallback, lambdaCallback } from './lambdaCallback.ts';
