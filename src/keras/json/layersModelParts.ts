/** @file Queries of layer configurations, for writing them for TF.js. */
import type { FormatError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { isOperation } from './operations.ts';

/** Creates the error for something about the layer called `layer` that TF.js can't express. */
export type InvalidLayer = (layer: string, rule: string, received: string, hint: string) => FormatError;

export function nameOf(layer: JsonObject): string {
  return String(layer.name ?? optionsOf(layer).name);
}

export function optionsOf({ config }: JsonObject): JsonObject {
  return isObject(config) ? config : {};
}

export function isModel({ class_name: name }: JsonObject): boolean {
  return name === 'Functional' || name === 'Sequential';
}

/** Returns whether a layer creates a mask for the layers after it. */
export function makesMask(layer: JsonObject): boolean {
  return layer.class_name === 'Masking' || optionsOf(layer).mask_zero === true;
}

export function isOp(layer: JsonObject): boolean {
  return isOperation(layer as Json);
}
