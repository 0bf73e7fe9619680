// @ts-check
/**
 * @file `npm run release`: lists what still prevents a release, then builds and checks the package. With `--publish` it
 * publishes, with a statement of provenance, which npm makes only in a workflow of GitHub Actions or GitLab that grants
 * `id-token`.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT, runMain, SetupError } from './setup.mjs';

/** Fields that the owner of the package must fill in, and why. */
const OWNERS = Object.entries({
  repository: 'npm links it, and checks the statement of provenance against it',
  homepage: "the package's page on npm links it",
  bugs: '`npm bugs` opens it, and the page on npm links it',
});

/**
 * Returns the reasons that prevent a version from being published, before anything is built.
 *
 * @param {Record<string, unknown>} manifest package.json
 * @param {string} changelog
 * @param {string} changes what `git status --porcelain` prints
 * @returns {string[]} faults
 */
export function releaseFaults(manifest, changelog, changes) {
  const faults = OWNERS.filter(([field]) => !manifest[field]).map(
    ([field, reason]) => `package.json lacks \`${field}\`: ${reason}.`,
  );
  const [, version] = /^## (\S+)$/m.exec(changelog) ?? [];
  if (version === 'Unreleased')
    faults.push('CHANGELOG.md has a section "Unreleased": give it the version that package.json will have.');
  else if (version !== manifest.version)
    faults.push(`package.json has version ${manifest.version}, and CHANGELOG.md begins with ${version}.`);
  if (changes.trim() !== '') faults.push(`there are changes that aren't committed:\n${changes.trimEnd()}`);
  return faults;
}

/** @param {string} file @param {string[]} args */
function run(file, ...args) {
  execFileSync(file, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
}

/** @param {boolean} publishes */
function release(publishes) {
  const read = (/** @type {string} */ file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  const faults = releaseFaults(JSON.parse(read('package.json')), read('CHANGELOG.md'), changes);
  if (faults.length > 0) throw new SetupError(faults.join('\n'));
  for (const script of ['build', 'size', 'test:package']) run('npm', 'run', script);
  run(process.execPath, 'scripts/check-package.mjs');
  // `publishConfig` of package.json has the rest: public, with provenance.
  run('npm', 'publish', '--ignore-scripts', ...(publishes ? [] : ['--dry-run', '--provenance=false']));
}

if (process.argv[1] === path.join(ROOT, 'scripts', 'release.mjs'))
  await runMain(() => release(process.argv.includes('--publish')));
