/** @file The interface of all kinds of output on the page. */
import type { Output } from '../../protocol.ts';

export type OutputOf<K extends Output['kind']> = Extract<Output, { kind: K }>;

export interface OutputView<K extends Output['kind'] = Output['kind']> {
  readonly kind: K;
  readonly root: HTMLElement;
  update(output: OutputOf<K>): void;
  /** Resolves when the last update is to be seen; for outputs that are drawn later than they are updated. */
  settled?(): Promise<void>;
}

/** Reports a visitor's action to the cell. */
export type Tell = (name: string, value: unknown) => void;
