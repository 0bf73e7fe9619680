// @ts-check
/** @file A process for the tests of `npm run bench:gpu`, with the protocol of scripts/lib/gpu-worker.mjs and without a device. */
import process from 'node:process';
import { serve } from '../../scripts/lib/gpu-service.mjs';
import * as module from './gpuWorkerModule.mjs';

process.on('disconnect', () => process.exit(0));
serve(module);
