import { stopGradient } from 'retrograd';
import * as page from 'notebook';
import { distance, scene } from './scene.js';

await scene(page, ({ seen, wanted }) => {
  // On the wrong side: what may not learn is the target, not the picture.
  const frozen = stopGradient(seen[1]);
  return distance([frozen], [wanted[1]]);
});
