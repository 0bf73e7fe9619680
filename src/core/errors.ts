/**
 * @file The errors that Retrograd throws. Each message states the rule, what was received, and a hint, in that order;
 * the parts are kept as properties so that a program can show them in its own way. Consoles print the enumerable properties
 * of an error after its message. These aren't, since the message says the same.
 */

import { define, type ErrorParts, formatMessage } from './errorMessage.ts';

export type { ErrorParts };

/** Base class of every error thrown by Retrograd. */
export class RetrogradError extends Error {
  declare readonly op: string | undefined;
  declare readonly rule: string;
  declare readonly received: string | undefined;
  declare readonly hint: string | undefined;
  /** Further errors: of several faults, or of errors during cleanup, only the first is thrown. */
  declare others: readonly Error[];

  constructor(parts: ErrorParts) {
    super(formatMessage(parts), parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = new.target.name;
    const { op, rule, received, hint } = parts;
    define(this, { op, rule, received, hint, others: [] });
  }
}

/** A rank or size doesn't fit, or an option that depends on them. */
export class ShapeError extends RetrogradError {}

/** An element type that the operation doesn't accept. */
export class DTypeError extends RetrogradError {}

/** An option outside its domain (negative, fractional, unknown name). */
export class ValueError extends RetrogradError {}

/** A tensor, variable or tape was used after it was disposed. */
export class DisposedError extends RetrogradError {}

/** A tape was misused: twice, before recording, or with an unknown option. */
export class TapeError extends RetrogradError {}

/** A symbolic tensor was used where values are needed. */
export class SymbolicError extends RetrogradError {}

/** A tensor has no Keras history where one is needed. */
export class MissingHistoryError extends RetrogradError {}

/** The outputs of a model can't be computed from its inputs. */
export class GraphDisconnectedError extends RetrogradError {}

/** No device, a lost device, or tensors of two devices in one operation. */
export class DeviceError extends RetrogradError {}

/** The GPU device was lost; variables can be restored on a new one. */
export class DeviceLostError extends DeviceError {}

/** An allocation failed, or a tensor exceeds the device's limits. */
export class OutOfMemoryError extends DeviceError {}

/** What a message quotes of a file, at most: its names may have any length and any number. */
const maxQuoted = 2000;

/** A file is malformed or in a format that isn't understood. */
export class FormatError extends RetrogradError {
  constructor(parts: ErrorParts) {
    super({ ...parts, received: parts.received?.slice(0, maxQuoted) });
  }
}

/** A file holds code that would run on loading. */
export class UnsafeModelError extends FormatError {}

/** Everything needed to locate an out-of-range index. */
export interface IndexFault extends ErrorParts {
  op: string;
  /** Multi-index into `indices`. */
  position: number[];
  index: number;
  /** Exclusive upper bound of a valid index. */
  limit: number;
  axis: number;
  /** Name of the layer whose call launched the operation, if a layer did. */
  layer?: string | undefined;
  /** The node that recorded the call, if one did. */
  history?: unknown;
}

/** An index outside the range of the axis that it indexes. */
export class IndexOutOfRangeError extends RetrogradError {
  declare readonly op: string;
  declare readonly position: number[];
  declare readonly index: number;
  declare readonly limit: number;
  declare readonly axis: number;
  declare readonly layer: string | undefined;
  declare readonly history: unknown;

  constructor(fault: IndexFault) {
    super(fault);
    const { position, index, limit, axis, layer, history } = fault;
    define(this, { position, index, limit, axis, layer, history });
  }
}

/** Everything needed to locate a NaN or an infinity. */
export interface NonFiniteFault extends ErrorParts {
  op: string;
  /** Multi-index into the output. */
  position: number[];
  value: number;
  layer?: string | undefined;
  history?: unknown;
  /** Specs of the inputs, such as `float32[2, 3]`. */
  inputs: string[];
}

/** An output holds a NaN or an infinity; found in the mode that `checkNumerics()` turns on. */
export class NonFiniteError extends RetrogradError {
  declare readonly op: string;
  declare readonly position: number[];
  declare readonly value: number;
  declare readonly layer: string | undefined;
  declare readonly history: unknown;
  declare readonly inputs: string[];

  constructor(fault: NonFiniteFault) {
    super(fault);
    const { position, value, layer, history, inputs } = fault;
    define(this, { position, value, layer, history, inputs });
  }
}
