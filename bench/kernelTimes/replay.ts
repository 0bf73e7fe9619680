/**
 * @file Time of a computation's kernels on the GPU, for any library: the commands of one run are captured by wrapping WebGPU's
 * functions, and replayed between two timestamps. The host's share isn't counted.
 *
 * A replay uses the buffers of the captured run. It is valid only until its library runs something else, which may overwrite
 * uniforms or destroy buffers.
 */
import { summarize } from '../measure.ts';

export type Command =
  | { readonly kind: 'copy'; encode(encoder: GPUCommandEncoder): void }
  | { readonly kind: 'launch'; readonly label: string; encode(pass: GPUComputePassEncoder): void };

type OnPass = (pass: GPUComputePassEncoder) => void;

/** The pipeline and the bind groups of a pass. */
interface PassState {
  pipeline: GPUComputePipeline | null;
  readonly bind: Map<number, OnPass>;
}

/** The commands of the capture in progress. */
let captured: Command[] | null = null;

/** Wraps WebGPU, and returns a function that undoes it. Call it before any device is opened, which then gets timestamps. */
export function installCapture(): () => void {
  const undo = [wrapPasses(), wrapCopy('copyBufferToBuffer'), wrapCopy('clearBuffer'), wrapDevices()];
  return () => {
    for (const each of undo) each();
  };
}

/** Returns the launches and copies that `run` encodes. */
export async function capture(run: () => void | Promise<void>): Promise<readonly Command[]> {
  const commands: Command[] = [];
  captured = commands;
  try {
    await run();
    return commands;
  } finally {
    captured = null;
  }
}

function wrapPasses(): () => void {
  const { prototype } = GPUComputePassEncoder;
  const { setPipeline, setBindGroup, dispatchWorkgroups, dispatchWorkgroupsIndirect } = prototype;
  const states = new WeakMap<GPUComputePassEncoder, PassState>();
  const stateOf = (pass: GPUComputePassEncoder) => {
    const state: PassState = states.get(pass) ?? { pipeline: null, bind: new Map() };
    states.set(pass, state);
    return state;
  };
  const launch = (pass: GPUComputePassEncoder, size: string, dispatch: OnPass) => {
    dispatch(pass);
    const { pipeline, bind } = stateOf(pass);
    if (!captured || !pipeline) return;
    const groups = [...bind.values()];
    captured.push({
      kind: 'launch',
      label: `${pipeline.label} @${size}`,
      encode(to) {
        setPipeline.call(to, pipeline);
        for (const bindTo of groups) bindTo(to);
        dispatch(to);
      },
    });
  };
  prototype.setPipeline = function (pipeline) {
    stateOf(this).pipeline = pipeline;
    setPipeline.call(this, pipeline);
  };
  prototype.setBindGroup = function (
    this: GPUComputePassEncoder,
    index: number,
    group: GPUBindGroup | null,
    ...offsets: (number | number[] | Uint32Array)[]
  ) {
    // The caller may overwrite its array of offsets.
    const kept = offsets.map((each) => (typeof each === 'object' ? each.slice() : each));
    const bindTo = (pass: GPUComputePassEncoder) =>
      (setBindGroup as (...args: unknown[]) => void).call(pass, index, group, ...kept);
    stateOf(this).bind.set(index, bindTo);
    bindTo(this);
  } as typeof setBindGroup;
  prototype.dispatchWorkgroups = function (x, y = 1, z = 1) {
    launch(this, `${x}x${y}x${z}`, (pass) => dispatchWorkgroups.call(pass, x, y, z));
  };
  prototype.dispatchWorkgroupsIndirect = function (buffer, offset) {
    launch(this, 'indirect', (pass) => dispatchWorkgroupsIndirect.call(pass, buffer, offset));
  };
  return () => {
    Object.assign(prototype, { setPipeline, setBindGroup, dispatchWorkgroups, dispatchWorkgroupsIndirect });
  };
}

/** Uploads and readbacks, by buffers that the host maps, aren't part of the computation. */
const isMapped = (value: unknown) =>
  value instanceof GPUBuffer && (value.usage & (GPUBufferUsage.MAP_READ | GPUBufferUsage.MAP_WRITE)) !== 0;

function wrapCopy(name: 'copyBufferToBuffer' | 'clearBuffer'): () => void {
  const { prototype } = GPUCommandEncoder;
  const original = prototype[name];
  const method = original as (this: GPUCommandEncoder, ...args: unknown[]) => undefined;
  const wrapper = function (this: GPUCommandEncoder, ...args: unknown[]) {
    if (captured && !args.some(isMapped)) {
      captured.push({ kind: 'copy', encode: (encoder) => method.apply(encoder, args) });
    }
    method.apply(this, args);
  };
  Object.assign(prototype, { [name]: wrapper });
  return () => {
    Object.assign(prototype, { [name]: original });
  };
}

/** Libraries don't ask for timestamps that they don't use. */
function wrapDevices(): () => void {
  const { prototype } = GPUAdapter;
  const { requestDevice } = prototype;
  prototype.requestDevice = function (descriptor = {}) {
    const features = new Set<GPUFeatureName>(descriptor.requiredFeatures);
    if (this.features.has('timestamp-query')) features.add('timestamp-query');
    return requestDevice.call(this, { ...descriptor, requiredFeatures: [...features] });
  };
  return () => {
    prototype.requestDevice = requestDevice;
  };
}

function encodeAll(encoder: GPUCommandEncoder, commands: readonly Command[], repeats: number): void {
  let pass: GPUComputePassEncoder | null = null;
  for (let i = 0; i < repeats; i++) {
    for (const command of commands) {
      if (command.kind === 'launch') {
        pass ??= encoder.beginComputePass();
        command.encode(pass);
      } else {
        pass?.end();
        pass = null;
        command.encode(encoder);
      }
    }
  }
  pass?.end();
}

/** Times captured commands on their device. */
export class Replay {
  readonly #device: GPUDevice;
  readonly #commands: readonly Command[];
  readonly #queries: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #staging: GPUBuffer;

  constructor(device: GPUDevice, commands: readonly Command[]) {
    this.#device = device;
    this.#commands = commands;
    this.#queries = device.createQuerySet({ type: 'timestamp', count: 2 });
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    this.#resolved = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
    this.#staging = device.createBuffer({ size: 16, usage: COPY_DST | MAP_READ });
  }

  /**
   * Replays the commands `repeats` times in one submission. Returns the milliseconds of one time.
   * @throws Error if the commands are no longer valid
   */
  async time(repeats: number): Promise<number> {
    const encoder = this.#device.createCommandEncoder();
    this.#mark(encoder, { beginningOfPassWriteIndex: 0 });
    encodeAll(encoder, this.#commands, repeats);
    this.#mark(encoder, { endOfPassWriteIndex: 1 });
    encoder.resolveQuerySet(this.#queries, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#staging, 0, 16);
    this.#device.pushErrorScope('validation');
    this.#device.queue.submit([encoder.finish()]);
    const error = await this.#device.popErrorScope();
    if (error) throw new Error(`the captured commands can't be replayed: ${error.message}`);
    await this.#staging.mapAsync(GPUMapMode.READ);
    const [begin = 0n, end = 0n] = new BigUint64Array(this.#staging.getMappedRange());
    this.#staging.unmap();
    return Number(end - begin) / 1e6 / repeats;
  }

  /** An empty pass, which carries a timestamp. */
  #mark(encoder: GPUCommandEncoder, at: Omit<GPUComputePassTimestampWrites, 'querySet'>): void {
    encoder.beginComputePass({ timestampWrites: { querySet: this.#queries, ...at } }).end();
  }

  dispose(): void {
    this.#queries.destroy();
    this.#resolved.destroy();
    this.#staging.destroy();
  }
}

export interface ReplayTime {
  /** Milliseconds of one replay: the median. */
  readonly milliseconds: number;
  /** Half the distance between the quartiles, relative to the median. */
  readonly spread: number;
}

export interface TimingOptions {
  readonly rounds?: number;
  /** Milliseconds of work before the first round, which raise the clocks: an idle GPU lowers them. */
  readonly spin?: number;
}

/** Milliseconds that a submission should last, so that its timestamps are exact, … */
const wantedMilliseconds = 2.5;
/** … but with no more replays than this. */
const maxRepeats = 400;
/** Replays of more milliseconds take part in only a few rounds. */
const slow = 10;
const slowRounds = 3;

interface Turn {
  readonly replay: Replay;
  repeats: number;
  rounds: number;
  readonly taken: number[];
}

/** Times `replays` in interleaved rounds. One that fails gets its error, and doesn't affect the others. */
export async function timesOf(
  replays: readonly Replay[],
  { rounds = 7, spin = 25 }: TimingOptions = {},
): Promise<(ReplayTime | Error)[]> {
  const errors = new Map<Turn, Error>();
  const turns = replays.map((replay): Turn => ({ replay, repeats: 1, rounds, taken: [] }));
  const each = async (act: (turn: Turn) => Promise<unknown>) => {
    for (const turn of turns) {
      if (errors.has(turn)) continue;
      try {
        await act(turn);
      } catch (error) {
        errors.set(turn, error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  await each(async (turn) => {
    await turn.replay.time(1);
    const first = await turn.replay.time(3);
    turn.repeats = Math.min(maxRepeats, Math.max(1, Math.ceil(wantedMilliseconds / Math.max(first, 1e-3))));
    if (first > slow) turn.rounds = Math.min(rounds, slowRounds);
  });
  const start = performance.now();
  while (errors.size < turns.length && performance.now() - start < spin) {
    await each(({ replay, repeats }) => replay.time(repeats));
  }
  for (let round = 0; round < rounds; round++) {
    await each(async ({ replay, repeats, taken, rounds: own }) => {
      if (round < own) taken.push(await replay.time(repeats));
    });
  }
  return turns.map((turn) => {
    const error = errors.get(turn);
    if (error) return error;
    const { median, spread } = summarize(turn.taken);
    return { milliseconds: median, spread };
  });
}
