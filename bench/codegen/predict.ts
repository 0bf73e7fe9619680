/** @file Predictions of the model for a problem: Retrograd's share of a machine's limit, and the ratio of the best peer's time to its own. */
import { type Peer, peers } from '../job.ts';
import { mainLoop } from './isa.ts';
import type { ProblemReport } from './measure.ts';
import { limitTime, type Machine, modelled, type ModelledLaunch, predictedTime } from './model.ts';
import type { RecordedLaunch } from './recorder.ts';

export interface Prediction {
  readonly machine: string;
  /** Of the machine's limit: 1 is the least time that multiply-adds and bytes allow. */
  readonly share: number;
  /** The fastest peer, by the model, and its time over Retrograd's; null where no peer has the problem. */
  readonly best: { readonly peer: Peer; readonly ratio: number } | null;
}

export function predict(report: ProblemReport, machine: Machine): Prediction {
  const own = predictedTime(ownLaunches(report), machine);
  const times = peers.flatMap((peer) => {
    const launches = report.launches[peer];
    return launches?.length ? [{ peer, time: predictedTime(peerLaunches(report, launches), machine) }] : [];
  });
  const fastest = times.sort((a, b) => a.time - b.time)[0];
  return {
    machine: machine.name,
    share: limitTime(report.fmas, report.bytes, machine) / own,
    best: fastest ? { peer: fastest.peer, ratio: fastest.time / own } : null,
  };
}

const isGemm = ({ pipeline: { label } }: RecordedLaunch) => /^retrograd (matMul|conv2d)/.test(label);

/** Matrix multiplications are launched in the order in which they were chosen. */
function ownLaunches({ gemms, launches, bytes }: ProblemReport): ModelledLaunch[] {
  const own = launches.retrograd ?? [];
  const waiting = [...gemms];
  return own.map((launch) => {
    const work = isGemm(launch) ? waiting.shift() : undefined;
    return withBytes(launch, work?.executed ?? 0, own.length, bytes);
  });
}

/** Of a peer's kernels only their stores are known: each result is a sum of as many terms as the problem has. */
function peerLaunches(
  { terms, bytes }: ProblemReport,
  launches: readonly RecordedLaunch[],
): ModelledLaunch[] {
  return launches.map((launch) => {
    const { program, workgroup } = launch.pipeline;
    const multiplies = terms > 0 && mainLoop(program) !== null;
    const executed = multiplies ? launch.workgroups * workgroup * program.storedWords * terms : 0;
    return withBytes(launch, executed, launches.length, bytes);
  });
}

/** A single launch moves what the problem has, however large the buffers that it binds. */
function withBytes(
  launch: RecordedLaunch,
  executed: number,
  launches: number,
  bytes: number,
): ModelledLaunch {
  const found = modelled(launch, executed);
  return launches === 1 ? { ...found, bytes: Math.min(bytes, found.bytes) } : found;
}
