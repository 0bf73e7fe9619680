/**
 * @file How the model's predictions compare with times that were measured on a GPU (`npm run bench:kernels`), for all
 * libraries. The machine is the model's idea of an NVIDIA H100, on which kernels-nvidia-h100.md was measured.
 */
import { type Library, libraries, peers } from '../job.ts';
import { titles } from '../report.ts';
import type { ProblemReport } from './measure.ts';
import { type Machine, predictedTime } from './model.ts';
import { modelledLaunches } from './predict.ts';
import { table } from './report.ts';

const h100: Machine = {
  name: 'NVIDIA H100',
  profiles: ['discrete'],
  units: 132,
  simds: 4,
  gigahertz: 1.98,
  bandwidth: 3.35e12,
  ldsBytes: 128,
  cacheBytes: 16,
  cacheSize: 50e6,
  latency: 500,
};

/** Times of a problem by library, in microseconds. */
type Times = Partial<Record<Library, number>>;

const columns: Readonly<Record<Library, number>> = { retrograd: 2, tfjs: 5, jaxjs: 6, ort: 7 };

/** Reads the tables of a page of kernel times. */
function measuredTimes(markdown: string): Map<string, Times> {
  const rows = markdown.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const timesOf = (row: readonly string[]): Times =>
    Object.fromEntries(
      libraries.flatMap((library) => {
        const time = /^([\d.]+) ±/.exec(row[columns[library]] ?? '')?.[1];
        return time ? [[library, Number(time)]] : [];
      }),
    );
  return new Map(rows.map((row) => [row[1] ?? '', timesOf(row)]));
}

/** Launches are replayed, so what fits in the cache is there. */
function predictedTimes(report: ProblemReport): Times {
  const found = libraries.map((library) => [library, modelledLaunches(report, library, true)] as const);
  return Object.fromEntries(
    found.flatMap(([library, launches]) =>
      launches.length > 0 ? [[library, 1e6 * predictedTime(launches, h100)]] : [],
    ),
  );
}

/** The geometric mean of ratios, and by which factor they typically differ from it: the exponential of their deviation. */
function spreadOf(ratios: readonly number[]): string[] {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length;
  return [String(ratios.length), Math.exp(mean).toFixed(2), Math.exp(Math.sqrt(variance)).toFixed(2)];
}

/** Compares predictions for `reports` with the measured times of a page. */
export function toFitMarkdown(reports: readonly ProblemReport[], markdown: string): string {
  const measured = measuredTimes(markdown);
  const rows = reports.flatMap((report) => {
    const times = measured.get(report.name);
    return times && report.profile === 'discrete' ? [{ times, predicted: predictedTimes(report) }] : [];
  });
  const ratios = (library: Library) =>
    rows.flatMap(({ times: { [library]: time }, predicted: { [library]: prediction } }) =>
      time && prediction ? [{ time, prediction }] : [],
    );
  const pairs = peers.flatMap((peer) =>
    rows.flatMap(({ times, predicted }) => {
      const [own, other] = [ratioOf(times, peer), ratioOf(predicted, peer)];
      return own && other ? [{ own, other }] : [];
    }),
  );
  const same = pairs.filter(({ own, other }) => own >= 1 === other >= 1).length;
  return `${table(
    ['predicted over measured time', 'n', 'mean', 'spread'],
    libraries.map((library) => [
      titles[library],
      ...spreadOf(ratios(library).map(({ time, prediction }) => prediction / time)),
    ]),
  )}\n\nOf ${pairs.length} comparisons, ${same} have the same library ahead.\n`;
}

const ratioOf = ({ retrograd, ...others }: Times, peer: Exclude<Library, 'retrograd'>) =>
  retrograd && others[peer] ? others[peer] / retrograd : null;
