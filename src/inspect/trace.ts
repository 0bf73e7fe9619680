/**
 * @file A profile as a trace for chrome://tracing and Perfetto.
 * Source of the format: Google, Trace Event Format: complete events ("X") and metadata ("M"), in microseconds.
 */
import type { ProfiledLaunch } from './launches.ts';
import { nameOf } from './rows.ts';

interface TraceEvent {
  ph: 'X' | 'M';
  name: string;
  pid: number;
  tid: number;
  ts?: number;
  dur?: number;
  cat?: string;
  args?: Record<string, unknown>;
}

const pid = 1;
const launchTrack = 1;
const layerTrack = 2;

/** Returns events in two tracks: the launches, and the layers that they belong to, with nested layers below. */
export function traceEvents(launches: readonly ProfiledLaunch[], processName: string): TraceEvent[] {
  const disjoint = withoutOverlap(launches);
  return [
    metadata('process_name', launchTrack, processName),
    metadata('thread_name', launchTrack, 'launches'),
    metadata('thread_name', layerTrack, 'layers'),
    ...disjoint.map(launchEvent),
    ...layerEvents(disjoint),
  ];
}

function metadata(name: string, tid: number, value: string): TraceEvent {
  return { ph: 'M', name, pid, tid, args: { name: value } };
}

/** Passes may overlap on a GPU; slices of a track may not. */
function withoutOverlap(launches: readonly ProfiledLaunch[]): ProfiledLaunch[] {
  let free = 0;
  return launches.map((launch) => {
    const begin = Math.max(free, launch.begin);
    free = Math.max(begin, launch.end);
    return { ...launch, begin, end: free };
  });
}

function launchEvent(launch: ProfiledLaunch): TraceEvent {
  const { op, layer, backward } = nameOf(launch);
  const { kernel, bytes, flops, workgroups, begin, end } = launch;
  return {
    ...slice(launchTrack, op, backward, { begin, end }),
    args: { kernel, layer, bytes, flops, workgroups },
  };
}

/** Returns a slice of a track. */
function slice(
  track: number,
  name: string,
  backward: boolean,
  { begin, end }: { readonly begin: number; readonly end: number },
): TraceEvent {
  return {
    ph: 'X',
    name: backward ? `${name} (backward)` : name,
    cat: backward ? 'backward' : 'forward',
    pid,
    tid: track,
    ts: begin,
    dur: end - begin,
  };
}

interface OpenLayer {
  readonly name: string;
  readonly begin: number;
  end: number;
}

/** Returns a slice for each sequence of launches of one layer, containing the slices of nested layers. */
function layerEvents(launches: readonly ProfiledLaunch[]): TraceEvent[] {
  const events: TraceEvent[] = [];
  const open: OpenLayer[] = [];
  let direction = false;
  const closeTo = (depth: number) => {
    for (const layer of open.splice(depth).reverse()) {
      events.push(slice(layerTrack, layer.name, direction, layer));
    }
  };
  for (const launch of launches) {
    const { layer, backward } = nameOf(launch);
    const path = layer === '' ? [] : layer.split('/');
    const shared = backward === direction ? path.findIndex((name, depth) => open[depth]?.name !== name) : 0;
    closeTo(shared < 0 ? path.length : shared);
    direction = backward;
    for (const name of path.slice(open.length)) open.push({ name, begin: launch.begin, end: launch.end });
    for (const around of open) around.end = launch.end;
  }
  closeTo(0);
  return events;
}
