/**
 * @file Fuses the elementwise launches of captured work: consecutive launches over the same elements become one launch, and
 * values that only they read are never stored. Constants that only they read become parameters. A reduction of values that
 * nothing else reads computes them itself, and so does a kernel that stores what only a chain reads. Small reductions share a launch.
 */
import type { Pieces } from '../../core/pieces.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Kernel } from '../../webgpu/kernel.ts';
import { type Command, commandsPerPiece, type PreparedLaunch, rangesOf } from '../../webgpu/command.ts';
import { Storage } from '../../webgpu/storage.ts';
import type { BoundRange } from '../../webgpu/boundRange.ts';
import { elementwiseMap } from './elementwise.ts';
import { fillMap } from '../copies/fill.ts';
import { Chain, type ChainContext, resultOf } from './fusedChain.ts';
import { followedLaunches } from './following.ts';
import { FusedReduction } from './fusedReduction.ts';
import { joinReductions } from '../reduce/joinedReductions.ts';
import { reducePass } from '../reduce/reduce.ts';

const elementwiseKernel = elementwiseMap as unknown as Kernel;
const reduceKernel = reducePass as unknown as Kernel;
const fillKernel = fillMap as unknown as Kernel;

/**
 * Returns the commands with chains of elementwise launches fused. `kept` are storages whose values are read afterwards, `made`
 * are all storages that the commands allocate.
 */
export function* fuseElementwise(
  device: Device,
  commands: readonly Command[],
  kept: ReadonlySet<Storage>,
  made: ReadonlyMap<Storage, number>,
): Pieces<Command[]> {
  const uses = usesOf(commands);
  const isTemporary = (range: BoundRange) => range instanceof Storage && made.has(range) && !kept.has(range);
  const constants = constantsOf(commands, uses, isTemporary);
  yield;
  const context: ChainContext = {
    device,
    usesOf: (range) => uses.get(range) ?? [],
    isTemporary,
    constantOf: (range) => constants.get(range),
  };
  for (;;) {
    const groups = yield* chained(commands, constants, context);
    // If a launch outside of chains reads a constant from memory, its fill stays, which may change the chains.
    const stored = groups.flatMap((group) =>
      isCommand(group) ? rangesOf(group).filter((r) => constants.has(r)) : [],
    );
    if (stored.length === 0) return joinReductions(device, followed(groups, commands));
    for (const range of stored) constants.delete(range);
  }
}

type Group = Chain | FusedReduction | Command;

function isCommand(group: Group): group is Command {
  return !(group instanceof Chain || group instanceof FusedReduction);
}

/** Returns the commands of the groups, without chains that other launches compute. */
function followed(groups: readonly Group[], commands: readonly Command[]): Command[] {
  const joined = new Map<Command, PreparedLaunch>();
  const left = groups.filter((group) => {
    const launches = group instanceof Chain ? followedLaunches(group, commands) : null;
    launches?.forEach((launch, position) => {
      joined.set(commands[position] as Command, launch);
    });
    return !launches;
  });
  return left.flatMap((group): readonly Command[] =>
    isCommand(group) ? [joined.get(group) ?? group] : group.launches(),
  );
}

/** Returns the commands in order, without the fills of constants; elementwise launches are grouped into chains if possible. */
function* chained(
  commands: readonly Command[],
  constants: ReadonlyMap<BoundRange, number>,
  context: ChainContext,
): Pieces<Group[]> {
  const groups: Group[] = [];
  for (const [position, command] of commands.entries()) {
    if (position % commandsPerPiece === commandsPerPiece - 1) yield;
    if (isLaunchOf(fillKernel, command) && constants.has(resultOf(command))) continue;
    if (isLaunchOf(reduceKernel, command) && reducesLast(groups, command, position)) continue;
    if (isLaunchOf(elementwiseKernel, command)) {
      const last = groups.at(-1);
      if (last instanceof Chain && last.take(command, position)) continue;
      const chain = new Chain(context);
      if (chain.take(command, position)) {
        groups.push(chain);
        continue;
      }
    }
    groups.push(command);
  }
  return groups;
}

/**
 * Appends a reduction that computes its elements by the end of the last chain; false if it can't. Between the two are only
 * other reductions of that chain, which don't write what it reads.
 */
function reducesLast(groups: Group[], launch: PreparedLaunch, position: number): boolean {
  const at = groups.findLastIndex((group) => !(group instanceof FusedReduction));
  const chain = groups[at];
  const fused = chain instanceof Chain ? FusedReduction.of(chain, launch, position) : null;
  if (!fused) return false;
  groups[at] = fused.rest;
  groups.push(fused.reduction);
  return true;
}

function isLaunchOf(kernel: Kernel, command: Command): command is PreparedLaunch {
  return command.kind === 'launch' && command.kernel === kernel;
}

/** Returns the positions of the commands that use each range. */
function usesOf(commands: readonly Command[]): Map<BoundRange, number[]> {
  const uses = new Map<BoundRange, number[]>();
  commands.forEach((command, position) => {
    for (const range of new Set(rangesOf(command))) {
      const known = uses.get(range);
      if (known) known.push(position);
      else uses.set(range, [position]);
    }
  });
  return uses;
}

/** Returns the words of temporary storages that a fill writes and only elementwise launches read. */
function constantsOf(
  commands: readonly Command[],
  uses: ReadonlyMap<BoundRange, readonly number[]>,
  isTemporary: (range: BoundRange) => boolean,
): Map<BoundRange, number> {
  const constants = new Map<BoundRange, number>();
  commands.forEach((command, position) => {
    if (!isLaunchOf(fillKernel, command)) return;
    const filled = resultOf(command);
    const { bits } = command.params;
    if (!isTemporary(filled) || typeof bits !== 'number') return;
    const isRead = (use: number) => {
      const user = commands[use] as Command;
      return isLaunchOf(elementwiseKernel, user) && resultOf(user) !== filled;
    };
    if ((uses.get(filled) ?? []).every((use) => use === position || isRead(use))) constants.set(filled, bits);
  });
  return constants;
}
