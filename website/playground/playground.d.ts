/** @file The module `playground` that programs import: outputs and controls. */

import type { StepReport } from 'retrograd/inspect';

/** The kind of a text: prose, output of the program, success, failure. */
export type Tone = 'plain' | 'library' | 'good' | 'bad';

export interface Picture {
  title: string;
  caption?: string;
  /** In the format of `toPixels` and of a canvas. */
  pixels: { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };
}

export interface Curve {
  name: string;
  /** Pairs of a step, or an epoch, and a value; values are drawn on a logarithmic scale. */
  points: readonly (readonly [step: number, value: number])[];
}

export interface Control {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** Whether it moves in equal ratios rather than equal steps. */
  logarithmic?: boolean;
}

export interface Button {
  label: string;
  disabled?: boolean;
  primary?: boolean;
}

/** An output that can be replaced by a new one. */
export interface Shown<A extends readonly unknown[]> {
  update(...next: A): void;
}

/** A paragraph. */
export function text(words: unknown, tone?: Tone): Shown<[words: unknown, tone?: Tone]>;
/** A line that screen readers announce when it changes. */
export function status(words: string): Shown<[words: string]>;
/** A value as text; tensors are shown with their values. Resolves when it is shown. */
export function show(value: unknown): Promise<void>;
/** A table: one object for each row. */
export function table(
  rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
  caption?: string,
): Shown<[rows: readonly Readonly<Record<string, string | number | boolean | null>>[], caption?: string]>;
/** Pictures in a row, without smoothing. */
export function pictures(all: readonly Picture[]): Shown<[all: readonly Picture[]]>;
/** Lines over the steps of a run, or over what `axis` names, such as 'epoch'. `label` is for screen readers. */
export function curves(
  all: readonly Curve[],
  options?: { axis?: string; label?: string },
): Shown<[all: readonly Curve[]]>;
/** Bars, each with its name and value. */
export function bars(
  all: readonly { name: string; value: number }[],
  label: string,
): Shown<[all: readonly { name: string; value: number }[]]>;
/** Sliders. Returns an object with their current values. */
export function sliders<K extends string>(
  controls: Readonly<Record<K, Control>>,
  onChange?: (name: K) => unknown,
): Readonly<Record<K, number>>;
/** Buttons. `update` relabels, disables and enables them. */
export function buttons<K extends string>(
  all: Readonly<Record<K, Button & { press: () => unknown }>>,
): Shown<[changes: Readonly<Partial<Record<K, Partial<Button>>>>]>;
/**
 * A file that a visitor picks or drops; with `camera` also a picture that they take, if there is a camera. It stays in the page.
 */
export function picker(
  options: { label: string; accept?: string; hint?: string; camera?: boolean },
  onChange?: (file: File | null) => unknown,
): { file: File | null };
/** A text field. */
export function textField(
  options: { label: string; value: string; rows?: number },
  onChange?: (value: string) => unknown,
): { value: string };
/** A square to draw on, by pointer or keys. `pixels`: brightness by rows, from 0 to 1. */
export function drawing(
  options: { label: string; size: number },
  onChange?: (pixels: Float32Array<ArrayBuffer>) => unknown,
): { pixels: Float32Array<ArrayBuffer> };
/** The report of a step, from `inspect` of retrograd/inspect. */
export function report(made: StepReport): Shown<[made: StepReport]>;
/** Calls `ending` when the program is run again or stopped. */
export function onEnd(ending: () => void): void;
