import { stopGradient } from 'retrograd';
import * as page from 'notebook';
import { distance, scene } from './scene.js';

await scene(page, ({ seen, wanted }) => {
  const frozen = stopGradient(wanted[1]);
  return distance([seen[1]], [frozen]);
});
