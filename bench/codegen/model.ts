/**
 * @file A model of a GPU: what share of a machine's limit a problem's launches should reach, from what the compiler says.
 * It is a model. Nothing here was measured on a GPU; docs/decisions/codegen-model.md has its terms and what it leaves out.
 */
import { mainLoop, multiplyAdds } from './isa.ts';
import type { CompiledPipeline, RecordedLaunch } from './recorder.ts';

export interface Machine {
  readonly name: string;
  /** Compute units or multiprocessors. */
  readonly units: number;
  /** SIMDs of a unit, each of which issues one vector instruction of 32 lanes a cycle. */
  readonly simds: number;
  readonly gigahertz: number;
  /** Bytes per second from memory. */
  readonly bandwidth: number;
  /** Bytes that a unit reads from its LDS in a cycle. */
  readonly ldsBytes: number;
  /** Bytes that a unit reads in a cycle from the cache that all units share, while all of them do. */
  readonly cacheBytes: number;
  /** Cycles from a load to its value. */
  readonly latency: number;
}

/** Navi 21's L2 gives 1,024 bytes a cycle, 17 for each of 60 units; the others get the same. */
const shared = { ldsBytes: 128, cacheBytes: 16 } as const;

export const machines: readonly Machine[] = [
  { name: 'integrated', units: 12, simds: 2, gigahertz: 2.2, bandwidth: 90e9, latency: 600, ...shared },
  { name: 'RX 6800', units: 60, simds: 2, gigahertz: 2.1, bandwidth: 512e9, latency: 500, ...shared },
  {
    name: '128 multiprocessors',
    units: 128,
    simds: 4,
    gigahertz: 2.5,
    bandwidth: 1e12,
    latency: 500,
    ...shared,
  },
];

const lanes = 32;
/** Seconds between dependent launches: the units drain and fill again. */
const gap = 2e-6;
/** Bytes of a lane's load, where a loop says nothing about it. */
const vectorBytes = 16;

/** A launch of a matrix multiplication, or one that moves numbers. */
export interface ModelledLaunch {
  readonly pipeline: CompiledPipeline;
  readonly workgroups: number;
  /** Bytes that it has to move at least. */
  readonly bytes: number;
  /** Multiply-adds that it executes; 0 where it is bound by memory. */
  readonly executed: number;
  /** Bytes that its workgroups read to multiply them, whether from memory or from a cache; 0 where that isn't known. */
  readonly staged: number;
}

/** Waves of a launch that a SIMD of a busy unit holds at once: what registers, LDS and the grid allow. */
function residentWaves({ pipeline, workgroups }: ModelledLaunch, { units, simds }: Machine): number {
  const inGrid = (Math.max(1, workgroups / units) * wavesOf(pipeline)) / simds;
  const wide = pipeline.subgroup > lanes ? pipeline.subgroup / lanes : 1;
  return Math.max(1, Math.min(pipeline.waves * wide, inGrid));
}

/** Waves of a workgroup. */
const wavesOf = ({ workgroup }: CompiledPipeline) => Math.ceil(workgroup / lanes);

/** The share of units with work, averaged over all rounds of workgroups. */
function quantisation({ workgroups }: ModelledLaunch, { units }: Machine): number {
  return workgroups / (Math.ceil(workgroups / units) * units);
}

/** The same of SIMDs: a workgroup of few waves leaves some of its unit to others. */
function busySimds({ pipeline, workgroups }: ModelledLaunch, { units, simds }: Machine): number {
  const atOnce = Math.max(1, Math.floor(simds / wavesOf(pipeline)));
  const rounds = Math.ceil(workgroups / (units * atOnce));
  const filled = rounds > 1 ? 1 : Math.min(1, (atOnce * wavesOf(pipeline)) / simds);
  return (filled * workgroups) / (rounds * units * atOnce);
}

/** The share of issued vector instructions that a wave gets for its multiply-adds, capped by the LDS. */
function issueShare(pipeline: CompiledPipeline, { simds, ldsBytes }: Machine): number {
  const loop = multiplyAdds(pipeline.program);
  if (!loop || loop.vector === 0) return 1;
  const cycles = loop.vector / simds;
  const ldsCycles = (loop.ldsReads * vectorBytes * lanes) / ldsBytes / 2; // Half of the reads are broadcasts.
  return loop.fma / simds / Math.max(cycles, ldsCycles);
}

/** The share of time in which some wave of a SIMD can issue, while others wait for loads. */
function latencyShare(launch: ModelledLaunch, machine: Machine): number {
  const { program } = launch.pipeline;
  const loop = mainLoop(program);
  const vector = multiplyAdds(program)?.vector;
  if (!loop || !vector || loop.loads === 0) return 1;
  const exposed = Math.max(0, machine.latency - loop.fmaUnderLoads * residentWaves(launch, machine));
  const busy = residentWaves(launch, machine) * vector;
  return busy / Math.max(busy, vector + exposed);
}

/** The share of lanes that have an invocation. */
const filledLanes = (pipeline: CompiledPipeline) => pipeline.workgroup / (wavesOf(pipeline) * lanes);

/** Seconds for the multiply-adds of a launch. */
function computeTime(launch: ModelledLaunch, machine: Machine): number {
  if (launch.executed === 0) return 0;
  const perSecond = machine.units * machine.simds * lanes * machine.gigahertz * 1e9;
  const { issue, latency, lastRound } = sharesOf(launch, machine);
  const share = issue * latency * lastRound;
  return launch.executed / (perSecond * share);
}

/** Seconds for what workgroups bring to their LDS, from the cache that all units share. */
function cacheTime(launch: ModelledLaunch, machine: Machine): number {
  const { units, cacheBytes, gigahertz } = machine;
  return launch.staged / (units * cacheBytes * gigahertz * 1e9 * quantisation(launch, machine));
}

/** Seconds for the bytes of a launch: by bandwidth, or by how many loads are in flight (Little's law). */
function memoryTime(launch: ModelledLaunch, machine: Machine): number {
  const { units, simds, latency, gigahertz, bandwidth } = machine;
  const loops = launch.pipeline.program.loops;
  const inFlight = Math.max(1, ...loops.map((loop) => loop.loadsInFlight));
  const threads = Math.min(
    launch.workgroups * launch.pipeline.workgroup,
    residentWaves(launch, machine) * units * simds * lanes,
  );
  const reached = (threads * inFlight * vectorBytes) / (latency / (gigahertz * 1e9));
  return launch.bytes / Math.min(bandwidth, reached);
}

export interface Breakdown {
  /** Seconds, without the gap behind the launch. */
  readonly seconds: number;
  /** What takes longest: multiply-adds, what they read through the cache, or the bytes of buffers. */
  readonly boundBy: 'multiply-adds' | 'cache' | 'memory';
  /** The shares by which its multiply-adds fall short of the machine's rate. */
  readonly issue: number;
  readonly latency: number;
  readonly lastRound: number;
}

/** What takes the time of a launch. */
export function breakdown(launch: ModelledLaunch, machine: Machine): Breakdown {
  const computing = computeTime(launch, machine);
  const staging = cacheTime(launch, machine);
  const moving = memoryTime(launch, machine);
  const seconds = Math.max(computing, staging, moving);
  return {
    seconds,
    boundBy: moving === seconds ? 'memory' : staging === seconds ? 'cache' : 'multiply-adds',
    ...sharesOf(launch, machine),
  };
}

function sharesOf(
  launch: ModelledLaunch,
  machine: Machine,
): Pick<Breakdown, 'issue' | 'latency' | 'lastRound'> {
  return {
    issue: filledLanes(launch.pipeline) * issueShare(launch.pipeline, machine),
    latency: latencyShare(launch, machine),
    lastRound: busySimds(launch, machine),
  };
}

/** The predicted time of launches that run one after another, in seconds. */
export function predictedTime(launches: readonly ModelledLaunch[], machine: Machine): number {
  return launches.reduce((sum, launch) => sum + breakdown(launch, machine).seconds + gap, 0);
}

/** The least time that a machine needs for `fmas` multiply-adds and `bytes`. */
export function limitTime(fmas: number, bytes: number, machine: Machine): number {
  const perSecond = machine.units * machine.simds * lanes * machine.gigahertz * 1e9;
  return Math.max(fmas / perSecond, bytes / machine.bandwidth) + gap;
}

/** What the model reads of a recorded launch. A loop that reads the LDS has brought there what it loads. */
export function modelled(
  { pipeline, workgroups, bytes }: RecordedLaunch,
  executed: number,
  staged = stagedBytes(pipeline, executed),
): ModelledLaunch {
  return { pipeline, workgroups, bytes, executed, staged };
}

function stagedBytes({ program }: CompiledPipeline, executed: number): number {
  const loop = multiplyAdds(program);
  return loop && loop.ldsReads > 0 ? (4 * executed * loop.loadedWords) / loop.fma : 0;
}
