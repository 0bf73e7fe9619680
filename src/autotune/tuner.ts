/** @file The tuner of a device: answers questions by what was measured, and measures. */
import { version } from '../core/version.ts';
import type { Chooser, Question } from '../webgpu/choice.ts';
import type { Device } from '../webgpu/device.ts';
import { LaunchSurvey } from '../execution/dryRun.ts';
import type { Command } from '../webgpu/command.ts';
import { dryRunCall, type Target } from '../autodiff/dryRunCall.ts';
import { ask, keyOf, variantOf } from './families.ts';
import { Automatic, type Job } from './automatic.ts';
import { type Asked, type Candidate, fastest } from './family.ts';
import { measure, type Stopwatch, stopwatch } from './measure.ts';
import { type ChoiceReport, TuningReport } from './report.ts';
import { pageStore, type TuningStore } from './store.ts';
import { type Finding, sourcesOf, Survey } from './survey.ts';
import { readTable, type Stamp, type Winner, writeTable } from './table.ts';
import { canTry, Scratch, Trial } from './trial.ts';

export interface TunerSettings {
  budget: number;
  store: TuningStore | null;
  /** Whether calls measure by themselves. */
  automatic: boolean;
  stopwatch: Stopwatch;
}

/** Passes at most: what an answer asks in turn is measured after it. */
const maxPasses = 4;

export class Tuner implements Chooser {
  version = 0;
  readonly settings: TunerSettings = {
    budget: 2000,
    store: pageStore(),
    automatic: false,
    stopwatch,
  };
  readonly #winners = new Map<string, Winner>();
  /** Winners of an earlier visit, of which it isn't known yet whether they were measured with the same programs. */
  readonly #stored = new Map<string, Winner>();
  /** Questions with one candidate alone. */
  readonly #settled = new Set<string>();
  #loaded: TuningStore | null = null;
  #survey: Survey | null = null;
  #isGuessing = false;
  readonly #automatic: Automatic;

  constructor(private readonly device: Device) {
    this.#automatic = new Automatic(device, this);
  }

  decide<V, R>(question: Question<V>, run: (variant: V) => R): R {
    const key = this.#isGuessing ? null : keyOf(question);
    if (key === null) return run(question.guess);
    const { automatic } = this.settings;
    if (!this.#survey && !this.#stored.has(key)) {
      const winner = this.#winners.get(key);
      if (winner)
        return run((variantOf(this.device, question, winner.variant) ?? { variant: question.guess }).variant);
      if (!automatic || this.#settled.has(key)) return run(question.guess);
    }
    const asked = ask(this.device, question);
    this.#check(asked, run);
    const { variant } = this.answer(asked);
    if (this.#survey) return this.#survey.note(asked, variant, run);
    if (asked.candidates.length < 2) this.#settled.add(key);
    else if (automatic && !this.#winners.has(key)) this.#automatic.note(asked, run);
    return run(variant);
  }

  get measuring(): Promise<void> | null {
    return this.#automatic.measuring;
  }

  #settle(asked: Asked, milliseconds: Readonly<Record<string, number>>, sources: string): void {
    const winner = fastest(asked.candidates, milliseconds);
    if (!winner) return;
    this.#winners.set(asked.key, { variant: winner.name, milliseconds, sources });
    this.version++;
  }

  /** What changes with the programs of the candidates. */
  sourcesOf<V>(asked: Asked<V>, run: (variant: V) => unknown): string {
    return sourcesOf(this.device, asked, run, (body) => this.#guessing(body));
  }

  /** The candidate that is taken. */
  answer<V>({ key, candidates, guess }: Asked<V>): Candidate<V> {
    const winner = this.#winners.get(key);
    return candidates.find(({ name }) => name === winner?.variant) ?? guess;
  }

  /** What is known of a question. */
  report(asked: Asked): ChoiceReport {
    const winner = this.#winners.get(asked.key);
    const taken = this.answer(asked);
    return {
      what: asked.what,
      taken: taken.name,
      guess: asked.guess.name,
      source: asked.candidates.length < 2 ? 'only' : winner?.variant === taken.name ? 'measured' : 'guessed',
      candidates: asked.candidates.map(({ name, cost }) => ({
        name,
        cost,
        milliseconds: winner?.milliseconds[name] ?? null,
      })),
    };
  }

  /** The questions that a dry call of `target` asks. */
  async survey(op: string, target: Target, inputs: readonly unknown[]): Promise<Survey> {
    // A pass that makes something for real may ask what the next one doesn't.
    const runs = await dryRunCall(op, this.device, target, inputs, () => this.#listen(true));
    const { survey } = runs.at(-1) as SurveyRun;
    return survey;
  }

  /** The questions that `body` asks, dry; their candidates aren't looked at. */
  listen(body: (dry: LaunchSurvey) => void): readonly ChoiceReport[] {
    const dry = this.#listen(false);
    body(dry);
    return [...dry.survey.findings.values()].map(({ asked }) => this.report(asked));
  }

  /** Measures what a call of `target` asks and isn't known. */
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
        // What a choice asks in turn depends on it, so that it comes after.
        const open = this.#open(survey);
        const keys = new Set(open.map(({ asked }) => asked.key));
        const ready = open.filter(({ parents }) => !parents.some((key) => keys.has(key)));
        if (ready.length === 0 || isOver()) break;
        for (const finding of ready) {
          if (isOver()) break;
          await this.#time(scratch, finding, isOver);
          measured.add(finding.asked.key);
        }
        survey = await this.survey('tune', target, inputs);
      }
    } finally {
      scratch.release();
      device.pool.trim();
    }
    if (measured.size > 0) await this.save();
    return new TuningReport({
      choices: [...survey.findings.values()].map(({ asked }) => this.report(asked)),
      measured: measured.size,
      known: known.size,
      left: this.#open(survey).length,
      milliseconds: performance.now() - start,
      adapter: device.adapter,
    });
  }

  /** Reads what earlier visits measured. A store that fails has nothing. */
  async load(): Promise<void> {
    const { store } = this.settings;
    if (!store || store === this.#loaded) return;
    this.#loaded = store;
    try {
      const text = await store.read(this.#name);
      if (typeof text !== 'string') return;
      for (const [key, winner] of readTable(text, this.#stamp)) {
        if (!this.#winners.has(key)) this.#stored.set(key, winner);
      }
      this.version++;
    } catch {
      // Nothing is lost but time.
    }
  }

  async save(): Promise<void> {
    const { store } = this.settings;
    // What another tab measured meanwhile, and what wasn't asked for in this visit, stays.
    const all = new Map([...this.#stored, ...this.#winners]);
    try {
      await store?.write(this.#name, writeTable(all, this.#stamp));
    } catch {
      // The next visit measures again.
    }
  }

  /** Forgets what was measured, here and in the store. */
  async forget(): Promise<void> {
    this.#winners.clear();
    this.#stored.clear();
    this.version++;
    await this.save();
  }

  /** What could be measured, and wasn't. */
  #open(survey: Survey): Finding[] {
    return [...survey.findings.values()].filter(
      (finding) => !this.#winners.has(finding.asked.key) && isMeasurable(finding),
    );
  }

  /** A dry run whose questions are noted until its end. */
  #listen(looksInto: boolean): SurveyRun {
    const survey = new Survey(this.device, (body) => this.#guessing(body), looksInto);
    this.#survey = survey;
    return new SurveyRun(survey, () => {
      this.#survey = null;
    });
  }

  /** Measures what a call asked, in no more time than `tune` has for all. */
  async measure(scratch: Scratch, job: Job): Promise<void> {
    const start = performance.now();
    await this.#time(scratch, job, () => performance.now() - start >= this.settings.budget);
  }

  async #time(scratch: Scratch, { asked, trials, sources }: Job, isOver: () => boolean) {
    const { device, settings } = this;
    // A variant that this device's compiler refuses isn't one here.
    const prepare = ([name, commands]: [string, readonly Command[]]) =>
      Trial.prepare(device, scratch, name, commands).catch(() => null);
    const prepared = await Promise.all([...trials].map(prepare));
    device.requireAlive();
    const subjects = prepared.filter((trial) => trial !== null);
    const milliseconds = await measure(device, subjects, settings.stopwatch, isOver);
    this.#settle(asked, milliseconds, sources);
  }

  /** Takes over what an earlier visit measured, if it was with the same programs. */
  #check<V>(asked: Asked<V>, run: (variant: V) => unknown): void {
    const stored = this.#stored.get(asked.key);
    if (!stored) return;
    this.#stored.delete(asked.key);
    const isNamed = asked.candidates.some(({ name }) => name === stored.variant);
    if (isNamed && stored.sources === this.sourcesOf(asked, run)) this.#winners.set(asked.key, stored);
  }

  #guessing<R>(body: () => R): R {
    const before = this.#isGuessing;
    this.#isGuessing = true;
    try {
      return body();
    } finally {
      this.#isGuessing = before;
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

/** The tuner of `device`. */
export function tunerOf(device: Device): Tuner {
  const tuner = tuners.get(device) ?? new Tuner(device);
  tuners.set(device, tuner);
  return tuner;
}

/** The tuner of `device`, which answers for it from now on. */
export function installTuner(device: Device): Tuner {
  const tuner = tunerOf(device);
  device.chooser = tuner;
  return tuner;
}
