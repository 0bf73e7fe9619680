/** @file Routes: where work goes that isn't for a device's own pool and stream. Whoever needs one brings it. */
import type { RecordedLaunch } from './recording.ts';
import type { Storage } from './storage.ts';

/** Takes what a device is asked for, and does something else or something more with it. */
export interface Route {
  allocate(bytes: number, label: string): Storage;
  launch(launch: RecordedLaunch): void;
}

/** Where launches are encoded for an app, in place of the device's stream. */
export interface Diversion extends Route {
  /** A storage that holds `data`, written before any of the app's submissions. */
  upload(data: ArrayBufferView<ArrayBuffer>, bytes: number, label: string): Storage;
}
