/** @file TF.js layers models: their weights. */
export { type OpenShard, readManifest } from './manifest.ts';
