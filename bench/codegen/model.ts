/**
 * @file A model of a GPU: the fraction of a machine's limit that a problem's launches should reach, from the compiler's
 * figures. It is only a model: nothing here was measured on a GPU. docs/decisions/codegen-model.md describes its terms and
 * what it leaves out.
 */
import type { AdapterKind } from '../../src/webgpu/adapter.ts';
import { mainLoop, multiplyAdds } from './isa.ts';
import type { CompiledPipeline, RecordedLaunch } from './recorder.ts';
import { type BufferUse, shareOfMemory } from './reuse.ts';

export interface Machine {
  readonly name: string;
  /** The profiles that the library may choose on it. */
  readonly profiles: readonly AdapterKind[];
  /** Compute units or multiprocessors. */
  readonly units: number;
  /** SIMDs of a unit, each of which issues one vector instruction of 32 lanes per cycle. */
  readonly simds: number;
  readonly gigahertz: number;
  /** Bytes per second from memory. */
  readonly bandwidth: number;
  /** Bytes that a unit reads from its LDS per cycle. */
  readonly ldsBytes: number;
  /** Bytes that a unit reads per cycle from the cache that all units share, while all of them do. */
  readonly cacheBytes: number;
  /** Bytes that the last cache before memory holds. */
  readonly cacheSize: number;
  /** Cycles from a load to its value. */
  readonly latency: number;
}

/** Navi 21's L2 delivers 1,024 bytes per cycle, 17 for each of 60 units; the same is assumed for the others. */
const shared = { ldsBytes: 128, cacheBytes: 16 } as const;

/** Apple's and mobile GPUs get the same kernels as integrated ones, and have no machine of their own. */
const few: readonly AdapterKind[] = ['integrated', 'apple', 'mobile'];

/** The last caches are those of a Radeon 680M, an RX 6800 and an RTX 4090, whose other figures these are, too. */
export const machines: readonly Machine[] = [
  {
    name: 'integrated',
    profiles: few,
    units: 12,
    simds: 2,
    gigahertz: 2.2,
    bandwidth: 90e9,
    cacheSize: 2 ** 21,
    latency: 600,
    ...shared,
  },
  {
    name: 'RX 6800',
    profiles: ['discrete'],
    units: 60,
    simds: 2,
    gigahertz: 2.1,
    bandwidth: 512e9,
    cacheSize: 2 ** 27,
    latency: 500,
    ...shared,
  },
  {
    name: '128 multiprocessors',
    profiles: ['discrete'],
    units: 128,
    simds: 4,
    gigahertz: 2.5,
    bandwidth: 1e12,
    cacheSize: 72 * 2 ** 20,
    latency: 500,
    ...shared,
  },
];

/** Returns the machines on which the library chooses a profile. */
export const machinesOf = (profile: AdapterKind): Machine[] =>
  machines.filter(({ profiles }) => profiles.includes(profile));

const lanes = 32;
/** Seconds between dependent launches: the units drain and fill again. */
const gap = 2e-6;
/** Bytes of a lane's load, if unknown for a loop. */
const vectorBytes = 16;

/** A launch of a matrix multiplication, or one that moves numbers. */
export interface ModelledLaunch {
  readonly pipeline: CompiledPipeline;
  readonly workgroups: number;
  /** The smallest number of bytes that it has to move. */
  readonly bytes: number;
  /** Its buffers, from which follows how much of that is still in a cache. */
  readonly uses: readonly BufferUse[];
  /** Multiply-adds that it executes; 0 if it is bound by memory. */
  readonly executed: number;
  /** Bytes that its workgroups read for multiplications, from memory or from a cache; 0 if unknown. */
  readonly staged: number;
  /** Atomic sums of floats into each word. WGSL has only an exchange that fails if another was faster, and is then repeated. */
  readonly chain: number;
}

/** Returns the number of waves that a SIMD of a busy unit holds at a time, limited by registers, LDS and the grid. */
function residentWaves({ pipeline, workgroups }: ModelledLaunch, { units, simds }: Machine): number {
  const inGrid = (Math.max(1, workgroups / units) * wavesOf(pipeline)) / simds;
  const wide = pipeline.subgroup > lanes ? pipeline.subgroup / lanes : 1;
  return Math.max(1, Math.min(pipeline.waves * wide, inGrid));
}

/** Returns the number of waves of a workgroup. */
const wavesOf = ({ workgroup }: CompiledPipeline) => Math.ceil(workgroup / lanes);

/** Returns the fraction of units with work, averaged over all rounds of workgroups. */
function quantization({ workgroups }: ModelledLaunch, { units }: Machine): number {
  return workgroups / (Math.ceil(workgroups / units) * units);
}

/** Returns the same fraction for SIMDs: a workgroup of few waves leaves part of its unit to others. */
function busySimds({ pipeline, workgroups }: ModelledLaunch, { units, simds }: Machine): number {
  const atOnce = Math.max(1, Math.floor(simds / wavesOf(pipeline)));
  const rounds = Math.ceil(workgroups / (units * atOnce));
  const filled = rounds > 1 ? 1 : Math.min(1, (atOnce * wavesOf(pipeline)) / simds);
  return (filled * workgroups) / (rounds * units * atOnce);
}

/** Returns the fraction of issued vector instructions that are a wave's multiply-adds, limited by the LDS. */
function issueShare(pipeline: CompiledPipeline, { simds, ldsBytes }: Machine): number {
  const loop = multiplyAdds(pipeline.program);
  if (!loop || loop.vector === 0) return 1;
  const cycles = loop.vector / simds;
  const ldsCycles = (loop.ldsReads * vectorBytes * lanes) / ldsBytes / 2; // Half of the reads are broadcasts.
  return loop.fma / simds / Math.max(cycles, ldsCycles);
}

/** Returns the fraction of time in which some wave of a SIMD can issue, while others wait for loads. */
function latencyShare(launch: ModelledLaunch, machine: Machine): number {
  const { program } = launch.pipeline;
  const loop = mainLoop(program);
  const vector = multiplyAdds(program)?.vector;
  if (!loop || !vector || loop.loads === 0) return 1;
  const exposed = Math.max(0, machine.latency - loop.fmaUnderLoads * residentWaves(launch, machine));
  const busy = residentWaves(launch, machine) * vector;
  return busy / Math.max(busy, vector + exposed);
}

/** Returns the fraction of lanes that have an invocation. */
const filledLanes = (pipeline: CompiledPipeline) => pipeline.workgroup / (wavesOf(pipeline) * lanes);

/** Seconds for the multiply-adds of a launch. */
function computeTime(launch: ModelledLaunch, machine: Machine): number {
  if (launch.executed === 0) return 0;
  const perSecond = machine.units * machine.simds * lanes * machine.gigahertz * 1e9;
  const { issue, latency, lastRound } = sharesOf(launch, machine);
  const share = issue * latency * lastRound;
  return launch.executed / (perSecond * share);
}

/** Seconds for the data that workgroups copy to their LDS from the cache that all units share. */
function cacheTime(launch: ModelledLaunch, machine: Machine): number {
  const { units, cacheBytes, gigahertz } = machine;
  return launch.staged / (units * cacheBytes * gigahertz * 1e9 * quantization(launch, machine));
}

/**
 * Seconds for the bytes of a launch: by the bandwidth of memory, without what is in the cache; by that of the cache, through
 * which all of them pass; or by the number of loads in flight (Little's law).
 */
function memoryTime(launch: ModelledLaunch, machine: Machine): number {
  const { units, simds, latency, gigahertz, bandwidth, cacheBytes, cacheSize } = machine;
  const { loops, bytesInFlight } = launch.pipeline.program;
  const perLane = Math.max(
    vectorBytes,
    bytesInFlight,
    ...loops.map((loop) => vectorBytes * loop.loadsInFlight),
  );
  const threads = Math.min(
    launch.workgroups * launch.pipeline.workgroup,
    residentWaves(launch, machine) * units * simds * lanes,
  );
  const reached = (threads * perLane) / (latency / (gigahertz * 1e9));
  const fromMemory = shareOfMemory(launch.uses, cacheSize);
  const cached = units * cacheBytes * gigahertz * 1e9;
  return launch.bytes / Math.min(bandwidth / fromMemory, cached, reached);
}

type Bound = 'multiply-adds' | 'cache' | 'memory' | 'atomic sums';

export interface Breakdown {
  /** Seconds, without the gap after the launch. */
  readonly seconds: number;
  /** The part that takes longest: multiply-adds, their reads through the cache, the bytes of buffers, or sums into one word. */
  readonly boundBy: Bound;
  /** The factors by which its multiply-adds fall short of the machine's rate. */
  readonly issue: number;
  readonly latency: number;
  readonly lastRound: number;
}

/** Breaks down the time of a launch. */
export function breakdown(launch: ModelledLaunch, machine: Machine): Breakdown {
  const computing = computeTime(launch, machine);
  const staging = cacheTime(launch, machine);
  const moving = memoryTime(launch, machine);
  const summing = (launch.chain * machine.latency) / (machine.gigahertz * 1e9);
  const seconds = Math.max(computing, staging, moving, summing);
  return {
    seconds,
    boundBy: boundOf(seconds, { summing, moving, staging }),
    ...sharesOf(launch, machine),
  };
}

function boundOf(
  seconds: number,
  { summing, moving, staging }: Record<'summing' | 'moving' | 'staging', number>,
): Bound {
  if (summing === seconds) return 'atomic sums';
  if (moving === seconds) return 'memory';
  return staging === seconds ? 'cache' : 'multiply-adds';
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

/** Returns the predicted time of launches that run one after another, in seconds. */
export function predictedTime(launches: readonly ModelledLaunch[], machine: Machine): number {
  return launches.reduce((sum, launch) => sum + breakdown(launch, machine).seconds + gap, 0);
}

/** Returns the minimum time that a machine needs for `fmas` multiply-adds and `bytes`. */
export function limitTime(fmas: number, bytes: number, machine: Machine): number {
  const perSecond = machine.units * machine.simds * lanes * machine.gigahertz * 1e9;
  return Math.max(fmas / perSecond, bytes / machine.bandwidth) + gap;
}

/** Returns the model's inputs from a recorded launch. A loop that reads the LDS is assumed to have copied its loads there. */
export function modelled(
  { pipeline, workgroups, bytes }: RecordedLaunch,
  uses: readonly BufferUse[],
  executed: number,
  staged = stagedBytes(pipeline, executed),
): ModelledLaunch {
  return { pipeline, workgroups, bytes, uses, executed, staged, chain: 0 };
}

function stagedBytes({ program }: CompiledPipeline, executed: number): number {
  const loop = multiplyAdds(program);
  return loop && loop.ldsReads > 0 ? (4 * executed * loop.loadedWords) / loop.fma : 0;
}
