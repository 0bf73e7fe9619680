/** @file Runs work of the inspection itself, hidden from the step's observers. */
import { gradientObserver, setGradientObserver } from '../../autodiff/gradientObserver.ts';
import { withoutOutputSearch } from '../../ops/define/outputSearch.ts';
import { detached } from '../../ops/define/recorders.ts';
import { outsideScopes, tidy } from '../../tensor/scope.ts';
import type { Device } from '../../webgpu/device.ts';

export class UnobservedWork {
  readonly #own = new Set<number>();

  constructor(private readonly device: Device) {}

  /** Number of launches made here. */
  get launches(): number {
    return this.#own.size;
  }

  /** Returns whether the launch of this number, as the stream counts them, was made here. */
  isOwn(launch: number): boolean {
    return this.#own.has(launch);
  }

  /** Runs `body`. The caller frees tensors that it returns. */
  run<T>(body: () => T): T {
    const { device } = this;
    const { executor } = device;
    const observer = gradientObserver();
    const from = device.stream.statistics.launches;
    device.executor = device.eager;
    setGradientObserver(null);
    try {
      return withoutOutputSearch(() => detached(() => outsideScopes(() => tidy(body))));
    } finally {
      device.executor = executor;
      setGradientObserver(observer);
      for (let i = from; i < device.stream.statistics.launches; i++) this.#own.add(i);
    }
  }
}
