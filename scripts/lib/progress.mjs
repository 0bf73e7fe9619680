// @ts-check
/**
 * @file Progress on stderr: one line that is redrawn on a terminal, plain lines now and then elsewhere.
 */
import process from 'node:process';

const BAR_WIDTH = 28;
/** If lines can't be redrawn, one is written at most this often. */
const LINE_SECONDS = 10;

/** @typedef {{ label: string, done: number, total: number, note: string, stepsPerSecond: number }} ProgressState */

export class Progress {
  #lastLine = 0;
  #drawn = false;

  /** @param {NodeJS.WriteStream} [stream] */
  constructor(stream = process.stderr) {
    this.stream = stream;
  }

  /** @param {string} message a line of its own */
  say(message) {
    this.#clear();
    this.stream.write(`${message}\n`);
  }

  /** @param {string} message a line that the next one overwrites, on a terminal */
  note(message) {
    if (!this.stream.isTTY) return this.say(message);
    this.#clear();
    this.stream.write(message);
    this.#drawn = true;
  }

  /** @param {ProgressState} state */
  update(state) {
    const finished = state.done >= state.total;
    if (this.stream.isTTY) {
      this.#clear();
      // A line that wraps couldn't be erased.
      this.stream.write(line(state).slice(0, (this.stream.columns ?? 120) - 1));
      this.#drawn = true;
      if (finished) this.#end();
      return;
    }
    const now = performance.now() / 1000;
    if (!finished && now - this.#lastLine < LINE_SECONDS) return;
    this.#lastLine = now;
    this.stream.write(`${line(state)}\n`);
  }

  #clear() {
    if (this.#drawn) this.stream.write('\r\u001b[2K');
    this.#drawn = false;
  }

  #end() {
    this.stream.write('\n');
    this.#drawn = false;
  }
}

/** @param {ProgressState} state */
export function line({ label, done, total, note, stepsPerSecond }) {
  const filled = Math.round((BAR_WIDTH * done) / total);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const left = stepsPerSecond > 0 ? timeLeft((total - done) / stepsPerSecond) : '…';
  return `${label.padEnd(10)} ${bar} ${String(done).padStart(String(total).length)}/${total}  ${note}  ${stepsPerSecond.toFixed(1)} steps/s  ${left} left`;
}

/** @param {number} seconds */
function timeLeft(seconds) {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
