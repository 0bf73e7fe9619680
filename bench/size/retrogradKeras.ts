/** @file The measured parts of Retrograd with Keras's layers and one network. */
import { applications } from 'retrograd/keras';

export { init, tensor } from 'retrograd';
export const vgg19 = applications.vgg19;
