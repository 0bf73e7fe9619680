// @ts-check
/**
 * @file Installs packages on Debian and its derivatives, if this process may (as root). After an interrupted installation,
 * apt rejects every new one until it is repaired; that is done here first, as apt itself suggests.
 */

/** @typedef {import('../setup.mjs').Shell} Shell */
/** @typedef {import('../setup.mjs').RunResult} RunResult */

const MINUTES = 15;
/** Seconds to wait while another process (automatic upgrades) installs. */
const LOCK_SECONDS = 300;
/** No prompts, and English messages, because apt's output is parsed here. */
const ENV = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };

/** Apt's messages about an interrupted installation, and the command that repairs it. Each is tried once, in this order. */
const REPAIRS = [
  {
    sign: /dpkg was interrupted/,
    // Keeps configuration files that the user changed.
    command: ['dpkg', '--force-confdef', '--force-confold', '--configure', '-a'],
  },
  {
    sign: /--fix-broken install/,
    command: ['apt-get', 'install', '--fix-broken', '-y', '-qq', '--no-install-recommends'],
  },
];

/**
 * @param {Shell} shell
 * @param {string[]} packages
 * @returns {RunResult} of the installation; if it can't be tried, `output` is the reason
 */
export function installDebianPackages(shell, packages) {
  /** @param {string[]} command */
  const run = ([file = '', ...args]) => shell.run(file, args, { minutes: MINUTES, env: ENV });
  if (shell.platform !== 'linux' || !run(['apt-get', '--version']).ok) {
    return { ok: false, output: 'not a Debian system' };
  }
  if (!shell.root) return { ok: false, output: 'needs root' };
  shell.say(`Installing ${packages.join(' and ')} (apt-get) …`);
  run(['apt-get', 'update', '-qq']); // May fail in part; the install reports it.
  const wait = `DPkg::Lock::Timeout=${LOCK_SECONDS}`;
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', '-o', wait, ...packages];
  let result = run(install);
  for (const { sign, command } of REPAIRS) {
    if (result.ok || !sign.test(result.output)) continue;
    shell.say(`An earlier installation was broken off. Finishing it (${command.join(' ')}) …`);
    run(command);
    result = run(install);
  }
  return result;
}
