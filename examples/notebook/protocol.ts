/**
 * @file Messages between the page and the kernel. The kernel is a Worker that runs the cells on its own GPU device: nothing
 * that a cell does can block the page, and a cell that hangs can be stopped.
 */

import type { StepReportData } from 'retrograd/inspect';

/** The output of a cell, as data; the page draws it. */
export type Output =
  | { kind: 'text'; text: string; tone: Tone }
  | { kind: 'status'; text: string }
  | { kind: 'table'; caption: string; columns: readonly string[]; rows: readonly (readonly Value[])[] }
  | { kind: 'pictures'; pictures: readonly Picture[] }
  | { kind: 'curves'; curves: readonly Curve[]; label: string; axis: string }
  | { kind: 'bars'; bars: readonly Bar[]; label: string }
  | { kind: 'controls'; controls: Readonly<Record<string, Control>> }
  | { kind: 'buttons'; buttons: Readonly<Record<string, Button>> }
  | { kind: 'file'; label: string; accept: string; hint: string; camera: boolean; chosen: string }
  | { kind: 'textField'; label: string; value: string; rows: number }
  | { kind: 'drawing'; label: string; size: number }
  | { kind: 'report'; report: StepReportData }
  | { kind: 'graph'; graph: Graph };

export type Value = string | number | boolean | null;

/** The kind of a text: prose, output of the library, success, failure. */
export type Tone = 'plain' | 'library' | 'good' | 'bad';

export interface Picture {
  title: string;
  caption?: string;
  pixels: { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };
}

export interface Curve {
  name: string;
  /** [step or epoch, loss] */
  points: readonly (readonly [number, number])[];
}

export interface Bar {
  name: string;
  value: number;
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

/** A lineage, with the parts that the page highlights. */
export interface Graph {
  /** A description of the picture, for screen readers. */
  label: string;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  /** Where the gradient is disconnected. */
  disconnectedAt: { from: string; to: string; why: string } | null;
}

export interface GraphNode {
  id: string;
  kind: 'op' | 'layer' | 'leaf';
  name: string;
  /** Specs such as `float32[2, 3]`. */
  outputs: readonly string[];
  bytes: number;
  /** Whether the gradient of the source passes here. */
  lit: boolean;
  /** Why it stops here; null if it doesn't. */
  stops: string | null;
  inside: { nodes: readonly GraphNode[]; edges: readonly GraphEdge[] } | null;
}

export interface GraphEdge {
  from: string;
  to: string;
  spec: string;
}

/** An error, explained for visitors. */
export interface Fault {
  title: string;
  text: string;
  /** Line of the cell's source. */
  line: number | null;
}

export type State = 'idle' | 'waiting' | 'running' | 'done' | 'failed';

export type ToKernel =
  | { type: 'sources'; sources: Readonly<Record<string, string>> }
  | { type: 'run'; cell: string; source: string }
  | { type: 'event'; cell: string; slot: number; name: string; value: unknown };

export type ToPage =
  | { type: 'ready' }
  | { type: 'state'; cell: string; state: State; fault?: Fault }
  | { type: 'clear'; cell: string }
  | { type: 'show'; cell: string; slot: number; output: Output };
