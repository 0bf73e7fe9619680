/** @file The names of this entry's classes in files: those of KerasHub. */
import { type Registrable, registerClass } from '../../keras/serialization/registered.ts';

/** Makes a class known to `loadModel`. */
export function registered(type: Registrable): void {
  registerClass(type, { package: 'keras_hub' });
}
