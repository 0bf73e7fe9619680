import * as page from 'notebook';
import { distance, scene } from './scene.js';

await scene(page, ({ seen, wanted }) => distance(seen, wanted));
