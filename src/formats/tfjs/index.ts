/** @file TF.js layers models: their weights. */
export { type OpenShard, readManifest } from './manifest.ts';
export { type NewWeight, shardName, writeManifest } from './write.ts';
