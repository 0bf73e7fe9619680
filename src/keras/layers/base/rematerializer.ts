/** @file What runs layer calls again for their gradients, if an app asks for it: `training/remat.ts` provides it then. */
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Nest } from '../../tensorNest.ts';

/** The call of a layer in training mode or not. */
export type LayerCall = (training: boolean | undefined) => Nest<Tensor>;

export interface Rematerializer {
  /** Called by the constructor of each layer. */
  created(layer: object): void;
  /** Runs `call` of `layer`; it may run again. */
  run(layer: object, inputs: Nest<Tensor>, training: boolean | undefined, call: LayerCall): Nest<Tensor>;
}

let provided: Rematerializer | null = null;

export function provideRematerializer(rematerializer: Rematerializer): void {
  provided = rematerializer;
}

/** Null until an app asks for it. */
export function rematerializer(): Rematerializer | null {
  return provided;
}
