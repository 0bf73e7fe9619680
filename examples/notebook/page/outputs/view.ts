/** @file What every kind of output is on the page. */
import type { Output } from '../../protocol.ts';

export type OutputOf<K extends Output['kind']> = Extract<Output, { kind: K }>;

export interface OutputView<K extends Output['kind'] = Output['kind']> {
  readonly kind: K;
  readonly root: HTMLElement;
  update(output: OutputOf<K>): void;
}

/** Tells the cell of what a visitor did. */
export type Tell = (name: string, value: unknown) => void;
