/** @file The autotuner of a device: chooses the algorithms that were measured to be the fastest, and measures. */
import { version } from '../core/version.ts';
import type { Autotuner, Candidate, Tunable } from '../webgpu/autotuner.ts';
import type { Device } from '../webgpu/device.ts';
import { LaunchSurvey } from '../execution/dryRun.ts';
import type { Command } from '../webgpu/command.ts';
import { dryRunCall, type Target } from '../autodiff/dryRunCall.ts';
import type { DeviceProfile } from '../kernels/selection/deviceProfile.ts';
import { blocklistOf } from '../kernels/selection/variantBlocklist.ts';
import { readAvoided } from './avoidedStore.ts';
import { Automatic, type Job } from './automatic.ts';
import { measure, type Stopwatch, stopwatch } from './measure.ts';
import { type ChoiceReport, TuningReport } from './report.ts';
import { pageStore, type TuningStore } from './store.ts';
import { type Finding, sourcesOf, Survey } from './survey.ts';
import { canTry, Scratch, Trial } from './trial.ts';
import { algorithmNamed, keyOf, taskOf } from './tunables.ts';
import { fastest, type TuningTask } from './tuningTask.ts';
import { readTable, type Stamp, type Winner, writeTable } from './winners.ts';

export interface TunerSettings {
  budget: number;
  store: TuningStore | null;
  /** Whether problems are measured automatically. */
  automatic: boolean;
  stopwatch: Stopwatch;
}

/** The maximum number of passes: choices that an algorithm makes itself are measured in the next one. */
const maxPasses = 4;

export class Tuner implements Autotuner {
  version = 0;
  readonly settings: TunerSettings = {
    budget: 2000,
    store: pageStore(),
    automatic: false,
    stopwatch,
  };
  readonly #winners = new Map<string, Winner>();
  /** Winners of an earlier visit that weren't checked yet: their programs may have changed. */
  readonly #stored = new Map<string, Winner>();
  /** Keys of problems with a single candidate. */
  readonly #settled = new Set<string>();
  #loaded: TuningStore | null = null;
  #survey: Survey | null = null;
  #isSelecting = false;
  readonly #automatic: Automatic;

  constructor(private readonly device: Device) {
    this.#automatic = new Automatic(device, this);
  }

  choose<P extends object, A>(tunable: Tunable<P, A>, problem: P, profile: DeviceProfile): A | null {
    const key = this.#isSelecting ? null : keyOf(tunable, problem);
    if (key === null) return null;
    if (this.#survey || this.#stored.has(key)) return this.#examine(tunable, problem);
    const winner = this.#winners.get(key);
    if (winner) return algorithmNamed(profile, tunable, problem, winner.variant);
    if (!this.settings.automatic || this.#settled.has(key)) return null;
    return this.#examine(tunable, problem);
  }

  /** Lists the candidates of a new problem, and queues it for measurement if necessary. */
  #examine<P extends object, A>(tunable: Tunable<P, A>, problem: P): A | null {
    const task = taskOf(this.device, tunable, problem);
    if (!task) return null;
    this.#check(task);
    if (this.#survey) this.#survey.note(task as TuningTask);
    else if (task.candidates.length < 2) this.#settled.add(task.key);
    else if (this.settings.automatic && !this.#winners.has(task.key))
      this.#automatic.note(task as TuningTask);
    return this.#taken(task).algorithm;
  }

  get measuring(): Promise<void> | null {
    return this.#automatic.measuring;
  }

  #settle(task: TuningTask, milliseconds: Readonly<Record<string, number>>, sources: string): void {
    const winner = fastest(task.candidates, milliseconds);
    if (!winner) return;
    this.#winners.set(task.key, { variant: winner.name, milliseconds, sources });
    this.version++;
  }

  /** Returns a hash that changes with the programs of the candidates. */
  sourcesOf(task: TuningTask): string {
    return sourcesOf(this.device, task, (body) => this.#selecting(body));
  }

  /** Returns the candidate that calls launch. */
  #taken<A>({ key, candidates, selected }: TuningTask<A>): Candidate<A> {
    const winner = this.#winners.get(key);
    return candidates.find(({ name }) => name === winner?.variant) ?? selected;
  }

  /** Returns the report of a problem. */
  report(task: TuningTask): ChoiceReport {
    const winner = this.#winners.get(task.key);
    const taken = this.#taken(task);
    return {
      what: task.what,
      taken: taken.name,
      selected: task.selected.name,
      source: task.candidates.length < 2 ? 'only' : winner?.variant === taken.name ? 'measured' : 'selected',
      candidates: task.candidates.map(({ name, cost }) => ({
        name,
        cost,
        milliseconds: winner?.milliseconds[name] ?? null,
      })),
    };
  }

  /** Returns the problems that come up in a dry run of `target`. */
  async survey(op: string, target: Target, inputs: readonly unknown[]): Promise<Survey> {
    // A pass that creates weights or states may have problems that the next one doesn't.
    const runs = await dryRunCall(op, this.device, target, inputs, () => this.#listen(true));
    const { survey } = runs.at(-1) as SurveyRun;
    return survey;
  }

  /** Returns the problems that come up in a dry run of `body`; their candidates aren't tried. */
  listen(body: (dry: LaunchSurvey) => void): readonly ChoiceReport[] {
    const dry = this.#listen(false);
    body(dry);
    return [...dry.survey.findings.values()].map(({ task }) => this.report(task));
  }

  /** Measures the problems of a call of `target` that aren't known yet. */
  async tune(target: Target, inputs: readonly unknown[]): Promise<TuningReport> {
    const { device, settings } = this;
    const start = performance.now();
    const scratch = new Scratch(device);
    const measured = new Set<string>();
    let survey = await this.survey('tune', target, inputs);
    const surveyed = performance.now();
    const isOver = () => performance.now() - surveyed >= settings.budget;
    const known = new Set([...survey.findings.keys()].filter((key) => this.#winners.has(key)));
    try {
      for (let pass = 0; pass < maxPasses; pass++) {
        // Problems that only come up for some algorithms of another problem are measured once its algorithm is known.
        const open = this.#open(survey);
        const ready = open.filter(({ task }) => !open.some(({ children }) => children.has(task.key)));
        if (ready.length === 0 || isOver()) break;
        for (const finding of ready) {
          if (isOver()) break;
          await this.#time(scratch, finding, isOver);
          measured.add(finding.task.key);
        }
        survey = await this.survey('tune', target, inputs);
      }
    } finally {
      scratch.release();
      device.pool.trim();
    }
    if (measured.size > 0) await this.save();
    return new TuningReport({
      choices: [...survey.findings.values()].map(({ task }) => this.report(task)),
      measured: measured.size,
      known: known.size,
      left: this.#open(survey).length,
      milliseconds: performance.now() - start,
      adapter: device.adapter,
    });
  }

  /** Reads the measurements of earlier visits, and the variants they found wrong. A store that fails counts as empty. */
  async load(): Promise<void> {
    const { store } = this.settings;
    if (!store || store === this.#loaded) return;
    this.#loaded = store;
    for (const name of await readAvoided(this.device, store)) blocklistOf(this.device).add(name);
    try {
      const text = await store.read(this.#name);
      if (typeof text !== 'string') return;
      for (const [key, winner] of readTable(text, this.#stamp)) {
        if (!this.#winners.has(key)) this.#stored.set(key, winner);
      }
      this.version++;
    } catch {
      // Everything can be measured again.
    }
  }

  async save(): Promise<void> {
    const { store } = this.settings;
    // Keep what another tab measured in the meantime, and what this visit didn't need.
    const all = new Map([...this.#stored, ...this.#winners]);
    try {
      await store?.write(this.#name, writeTable(all, this.#stamp));
    } catch {
      // The next visit measures again.
    }
  }

  /** Deletes all measurements, here and in the store. */
  async forget(): Promise<void> {
    this.#winners.clear();
    this.#stored.clear();
    this.version++;
    await this.save();
  }

  /** Returns the problems that can be measured, but weren't yet. */
  #open(survey: Survey): Finding[] {
    return [...survey.findings.values()].filter(
      (finding) => !this.#winners.has(finding.task.key) && isMeasurable(finding),
    );
  }

  /** A dry run that notes its problems until it ends. */
  #listen(tries: boolean): SurveyRun {
    const survey = new Survey(this.device, (body) => this.#selecting(body), tries);
    this.#survey = survey;
    return new SurveyRun(survey, () => {
      this.#survey = null;
    });
  }

  /** Measures one problem, within the total budget of `tune`. */
  async measure(scratch: Scratch, job: Job): Promise<void> {
    const start = performance.now();
    await this.#time(scratch, job, () => performance.now() - start >= this.settings.budget);
  }

  async #time(scratch: Scratch, { task, trials, sources }: Job, isOver: () => boolean) {
    const { device, settings } = this;
    // An algorithm that doesn't compile on this device isn't a candidate.
    const prepare = ([name, commands]: [string, readonly Command[]]) =>
      Trial.prepare(device, scratch, name, commands).catch(() => null);
    const prepared = await Promise.all([...trials].map(prepare));
    device.requireAlive();
    const subjects = prepared.filter((trial) => trial !== null);
    const milliseconds = await measure(device, subjects, settings.stopwatch, isOver);
    this.#settle(task, milliseconds, sources);
  }

  /** Takes over the measurement of an earlier visit, if the programs are the same. */
  #check<A>(task: TuningTask<A>): void {
    const stored = this.#stored.get(task.key);
    if (!stored) return;
    this.#stored.delete(task.key);
    const isNamed = task.candidates.some(({ name }) => name === stored.variant);
    if (isNamed && stored.sources === this.sourcesOf(task as TuningTask)) this.#winners.set(task.key, stored);
  }

  /** Runs `body` with the algorithms that kernels select, ignoring measurements. */
  #selecting<R>(body: () => R): R {
    const before = this.#isSelecting;
    this.#isSelecting = true;
    try {
      return body();
    } finally {
      this.#isSelecting = before;
    }
  }

  get #stamp(): Stamp {
    const { vendor, architecture, device, description } = this.device.adapter;
    return { version, adapter: { vendor, architecture, device, description } };
  }

  get #name(): string {
    return ['retrograd tuning', ...Object.values(this.#stamp.adapter)].join(' / ');
  }
}

class SurveyRun extends LaunchSurvey {
  constructor(
    readonly survey: Survey,
    private readonly ended: () => void,
  ) {
    super();
  }

  override end(): void {
    this.ended();
    super.end();
  }
}

function isMeasurable({ trials }: Finding): boolean {
  return trials.size > 1 && [...trials.values()].every(canTry);
}

const tuners = new WeakMap<Device, Tuner>();

/** Returns the tuner of `device`. */
export function tunerOf(device: Device): Tuner {
  const tuner = tuners.get(device) ?? new Tuner(device);
  tuners.set(device, tuner);
  return tuner;
}

/** Makes the tuner of `device` choose its algorithms from now on. Returns it. */
export function installTuner(device: Device): Tuner {
  const tuner = tunerOf(device);
  device.autotuner = tuner;
  return tuner;
}
