import * as page from 'notebook';
import { distance, scene } from './scene.js';

await scene(page, ({ seen, wanted }) => {
  // The tensor itself. Its values can be read at any time, without affecting the graph.
  return distance([seen[1]], [wanted[1]]);
});
