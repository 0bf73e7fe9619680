/**
 * @file What a model keeps when a run on it fails for lack of memory: an update that did not run leaves older values in a
 * variable. The run has thrown the error, so the model can be trained again from the values it has. Values computed from
 * others that were never written stay lost.
 */
import { DeviceError, RetrogradError } from '../../core/errors.ts';
import { Variable } from '../../tensor/variable.ts';
import { deviceOf, type TrainableModel } from './trainableModel.ts';

/** Runs `body`, a run on `model`. Errors: those of `body`. */
export async function keepingState<T>(model: TrainableModel, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    const device = deviceOf(model);
    if (error instanceof RetrogradError && !device.isLost && isOfDevice(error)) {
      // What was submitted since the error may have failed for the same reason.
      await device.finish().catch((late) => addError(error, late));
      for (const { current } of variablesOf(model)) device.faults.tracker.acceptOlder(current.buffer);
    }
    throw error;
  }
}

function isOfDevice(error: RetrogradError): boolean {
  return [error, ...error.others].some((one) => one instanceof DeviceError);
}

function addError(error: RetrogradError, late: RetrogradError): void {
  const all = new Set([...error.others, late, ...late.others]);
  all.delete(error);
  error.others = [...all];
}

/** The weights of `model`, and the state of its optimizer and metrics. */
function variablesOf({ weights, trainer }: TrainableModel): Variable[] {
  const ofOptimizer = trainer.compiled?.optimizer.variables ?? [];
  const ofMetrics = trainer.entries.flatMap(({ metric }) => metric.variables);
  const all = [...weights, ...ofOptimizer, ...ofMetrics];
  return all.filter((variable) => variable instanceof Variable).filter(({ disposed }) => !disposed);
}
