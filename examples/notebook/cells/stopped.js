import { stopGradient } from 'retrograd';
import * as page from 'notebook';
import { distance, scene } from './scene.js';

await scene(page, ({ seen, wanted }) => {
  // On the wrong side: the target should be constant, not the picture.
  const frozen = stopGradient(seen[1]);
  return distance([frozen], [wanted[1]]);
});
