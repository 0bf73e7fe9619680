// @ts-check
/**
 * @file Processes that measure. A call that hangs or crashes ends its process, and the next call starts another: it costs one
 * result, never the run.
 */
import { fork } from 'node:child_process';
import process from 'node:process';

/** A process that ended, or was ended because a call took too long. */
export class ProcessEnded extends Error {
  /** @override */
  name = 'ProcessEnded';
}

/** A driver may keep a process from ending. It isn't waited for longer than this. */
const END_MS = 3000;
const START_MS = 60_000;
/** Of a timer. A longer limit is none. */
const LONGEST_MS = 2 ** 31;

/**
 * @typedef {object} Limits of a call, in milliseconds, after which the process is ended
 * @property {number} [total]
 * @property {number} [silence] since the last event
 */

/**
 * @typedef {object} WorkerOptions
 * @property {string} script the worker's own file
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {number} output file descriptor for what it prints: drivers and libraries print a lot
 */

/** One process at a time, started when a call needs it. */
export class Worker {
  /** @type {WorkerOptions} */
  #options;
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;
  /** Called when a process was started, before the call that needs it. @type {((worker: Worker) => Promise<void>) | null} */
  #onStart;

  /** @param {WorkerOptions} options @param {((worker: Worker) => Promise<void>) | null} [onStart] */
  constructor(options, onStart = null) {
    this.#options = options;
    this.#onStart = onStart;
  }

  /**
   * Calls an export of the module. With `onEvent`, its last argument is a function that reports an event.
   *
   * @param {string} name
   * @param {unknown[]} args
   * @param {Limits} limits
   * @param {(event: any) => void} [onEvent]
   * @returns {Promise<any>}
   * @throws {ProcessEnded}
   */
  async call(name, args, limits, onEvent) {
    if (!this.#child) {
      await this.#start();
      await this.#onStart?.(this);
    }
    return this.#ask({ name, args, reports: onEvent !== undefined }, limits, onEvent);
  }

  /** Ends the process; the next call starts another. */
  async end() {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
    child.unref();
    if (child.connected) child.disconnect();
  }

  async #start() {
    const { script, args, env, output } = this.#options;
    this.#child = fork(script, args, {
      env: { ...process.env, ...env },
      execArgv: ['--enable-source-maps', '--expose-gc'],
      stdio: ['ignore', output, output, 'ipc'],
    });
    await this.#ask(null, { total: START_MS });
  }

  /** @param {object | null} message @param {Limits} limits @param {(event: any) => void} [onEvent] */
  async #ask(message, limits, onEvent) {
    const child = /** @type {import('node:child_process').ChildProcess} */ (this.#child);
    /** @type {(() => void)[]} */
    const cleanUp = [];
    try {
      return await new Promise((resolve, reject) => {
        const total = timer(limits.total, reject);
        const silence = timer(limits.silence, reject);
        const onMessage = (/** @type {any} */ answer) => {
          if ('event' in answer) {
            silence.restart();
            onEvent?.(answer.event);
          } else if ('error' in answer) reject(new Error(answer.error));
          else resolve(answer.value);
        };
        const onClose = (/** @type {number | null} */ code, /** @type {string | null} */ signal) =>
          reject(new ProcessEnded(`the process ended with ${signal ?? `code ${code}`}`));
        const onError = (/** @type {Error} */ error) => reject(new ProcessEnded(error.message));
        cleanUp.push(total.stop, silence.stop, () =>
          child.off('message', onMessage).off('close', onClose).off('error', onError),
        );
        child.on('message', onMessage).once('close', onClose).once('error', onError);
        if (message) child.send(message, (error) => error && onError(error));
      });
    } catch (error) {
      if (error instanceof ProcessEnded) await this.end();
      throw error;
    } finally {
      for (const each of cleanUp) each();
    }
  }
}

/** @param {number | undefined} milliseconds @param {(error: Error) => void} reject */
function timer(milliseconds = Number.POSITIVE_INFINITY, reject) {
  const late = () => reject(new ProcessEnded(`not done within ${Math.round(milliseconds / 1000)} s`));
  const start = () => (milliseconds < LONGEST_MS ? setTimeout(late, milliseconds) : undefined);
  let running = start();
  const stop = () => clearTimeout(running);
  return {
    stop,
    restart() {
      stop();
      running = start();
    },
  };
}
