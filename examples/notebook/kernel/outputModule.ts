/** @file The module `notebook` (or `playground`) that programs import: outputs and controls. */
import type { StepReport, StepReportData } from 'retrograd/inspect';
import type { Bar, Button, Control, Curve, Graph, Output, Picture, Tone, Value } from '../protocol.ts';
import { PlainError } from './faults.ts';
import type { Handler } from './outputs.ts';

/** The parts of a cell that the module needs. */
export interface OutputCell {
  /** A slot in the output; showing something new replaces its content. */
  slot(output: Output, handler?: Handler): { update(output: Output): void };
  onEnd(ending: () => void): void;
  fail(error: unknown): void;
}

interface CurveOptions {
  axis?: string;
  label?: string;
}

export type OutputModule = ReturnType<typeof outputModule>;

/** The exports of the module. `remembered` outlives runs of the cell. */
export function outputModule(cell: OutputCell, remembered: Record<string, unknown>) {
  const live = <A extends readonly unknown[]>(make: (...args: A) => Output, ...args: A) => {
    const slot = cell.slot(make(...args));
    return { update: (...next: A) => slot.update(make(...next)) };
  };
  return {
    /** A paragraph; `tone`: 'plain', 'library' (a message of the library), 'good' or 'bad'. */
    text: (words: unknown, tone: Tone = 'plain') =>
      live(
        (text: unknown, as: Tone = tone): Output => ({ kind: 'text', text: String(text), tone: as }),
        words,
      ),
    /** A line that screen readers announce when it changes. */
    status: (words: string) => live((text: string): Output => ({ kind: 'status', text }), words),
    table: (rows: readonly Record<string, Value>[], caption?: string) =>
      live(
        (next: readonly Record<string, Value>[], as = caption): Output => tableOf(next, as),
        rows,
        caption,
      ),
    pictures: (pictures: readonly Picture[]) =>
      live((next: readonly Picture[]): Output => ({ kind: 'pictures', pictures: next }), pictures),
    /** Lines on a logarithmic scale; `axis` names what they are over, such as 'epoch'. */
    curves: (curves: readonly Curve[], { axis = 'step', label = `Loss by ${axis}` }: CurveOptions = {}) =>
      live((next: readonly Curve[]): Output => ({ kind: 'curves', curves: next, label, axis }), curves),
    bars: (bars: readonly Bar[], label: string) =>
      live((next: readonly Bar[]): Output => ({ kind: 'bars', bars: next, label }), bars),
    graph: (graph: Graph) => live((next: Graph): Output => ({ kind: 'graph', graph: next }), graph),
    /** Sliders. Returns an object with their current values; `onChange(name)` is called for each move. */
    sliders: (controls: Record<string, Control>, onChange: (name: string) => unknown = () => {}) => {
      remembered.sliders ??= {};
      const kept = remembered.sliders as Record<string, number>;
      const start = (name: string, control: Control) =>
        Math.min(control.max, Math.max(control.min, kept[name] ?? control.value));
      const all = Object.fromEntries(
        Object.entries(controls).map(([name, control]) => [
          name,
          { ...control, value: start(name, control) },
        ]),
      );
      const values = Object.fromEntries(Object.entries(all).map(([name, { value }]) => [name, value]));
      cell.slot({ kind: 'controls', controls: all }, (name, value) => {
        values[name] = kept[name] = Number(value);
        return onChange(name);
      });
      return values;
    },
    /** Buttons. `update` relabels, disables and enables them. */
    buttons: (buttons: Record<string, Button & { press: () => unknown }>) => {
      const shown = (all: Record<string, Button>): Output => ({
        kind: 'buttons',
        buttons: Object.fromEntries(
          Object.entries(all).map(([name, { label, disabled = false, primary = false }]) => [
            name,
            { label, disabled, primary },
          ]),
        ),
      });
      const now: Record<string, Button> = { ...buttons };
      const slot = cell.slot(shown(now), (name) => buttons[name]?.press());
      return {
        update: (changes: Record<string, Partial<Button>>) => {
          for (const [name, change] of Object.entries(changes))
            now[name] = { ...(now[name] as Button), ...change };
          slot.update(shown(now));
        },
      };
    },
    /**
     * A file that a visitor picks or drops, or takes with the `camera`. Returns an object with `file`: null, or the last
     * accepted file.
     */
    picker: (
      {
        label,
        accept = '',
        hint = '',
        camera = false,
      }: { label: string; accept?: string; hint?: string; camera?: boolean },
      onChange: (file: File | null) => unknown = () => {},
    ) => {
      const choice: { file: File | null } = { file: (remembered.file as File | undefined) ?? null };
      const output = (): Output => {
        return { kind: 'file', label, accept, hint, camera, chosen: choice.file?.name ?? '' };
      };
      const slot = cell.slot(output(), async (_, value) => {
        const before = choice.file;
        choice.file = remembered.file = value as File | null;
        try {
          await onChange(choice.file);
        } catch (error) {
          choice.file = remembered.file = before;
          throw error;
        } finally {
          slot.update(output());
        }
      });
      return choice;
    },
    /** A text field. Returns an object with its `value`. */
    textField: (
      { label, value, rows = 6 }: { label: string; value: string; rows?: number },
      onChange: (value: string) => unknown = () => {},
    ) => {
      const field = { value };
      cell.slot({ kind: 'textField', label, value, rows }, (_, typed) => {
        field.value = String(typed);
        return onChange(field.value);
      });
      return field;
    },
    /** A square to draw on. Returns an object with its `pixels`: brightness by rows, from 0 to 1. */
    drawing: (
      { label, size }: { label: string; size: number },
      onChange: (pixels: Float32Array) => unknown = () => {},
    ) => {
      const drawn = { pixels: new Float32Array(size * size) };
      cell.slot({ kind: 'drawing', label, size }, (_, pixels) => {
        drawn.pixels = pixels as Float32Array<ArrayBuffer>;
        return onChange(drawn.pixels);
      });
      return drawn;
    },
    /** The report of a step, from `inspect`. */
    report: (made: StepReport) =>
      live((next: StepReport): Output => ({ kind: 'report', report: dataOf(next) }), made),
    /** Calls `ending` when the cell is run again. */
    onEnd: (ending: () => void) => cell.onEnd(ending),
    /** An object that outlives runs of this cell. */
    remembered,
    /** Shows an explained error below the cell. */
    fail: (error: unknown) => cell.fail(error),
    PlainError,
  };
}

/** The report as data that can be posted to the page. */
const dataOf = (report: StepReport): StepReportData => JSON.parse(JSON.stringify(report));

function tableOf(rows: readonly Record<string, Value>[], caption = ''): Output {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    kind: 'table',
    caption,
    columns,
    rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
  };
}
