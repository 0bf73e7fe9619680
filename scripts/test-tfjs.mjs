// @ts-check
/**
 * @file `npm run test:tfjs`: real trained networks of TF.js, from a package of npm, compared with TF.js; and trainings that go
 * on there, with every optimizer.
 *
 * They are two image classifiers of `nsfwjs` (MIT), layers models with weights of uint8: MobileNetV2 and Inception v3. The
 * package is unpacked into out/tfjs-models; none of its code runs but the modules that contain the files.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { runUnitTests } from './lib/unit-tests.mjs';
import { ROOT, runMain, SetupError } from './setup.mjs';

const version = '4.3.0';
const models = ['mobilenet_v2', 'inception_v3'];
const out = path.join(ROOT, 'out', 'tfjs-models');

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new SetupError(`${command} ${args.join(' ')} failed: see above.`);
}

/** Returns the folder of the package. */
function unpacked() {
  const folder = path.join(out, 'package', 'dist', 'models');
  if (fs.existsSync(folder)) return folder;
  fs.mkdirSync(out, { recursive: true });
  run('npm', ['pack', `nsfwjs@${version}`, '--silent'], out);
  run('tar', ['xzf', `nsfwjs-${version}.tgz`], out);
  return folder;
}

/** Writes the files that the modules of a model contain: JSON as an object, shards in base64. @param {string} folder */
function writeFiles(folder) {
  const require = createRequire(path.join(folder, 'index.js'));
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.min.js'))) {
    const name = file.slice(0, -'.min.js'.length);
    const held = require(path.join(folder, file));
    if (typeof held === 'string') fs.writeFileSync(path.join(folder, name), Buffer.from(held, 'base64'));
    else fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(held));
  }
}

await runMain(async () => {
  const folder = unpacked();
  for (const model of models) writeFiles(path.join(folder, model));
  const tests = ['test/keras/interop/trainedModels.test.ts', 'test/keras/saving/layersTraining.test.ts'];
  runUnitTests(tests, { RETROGRAD_TFJS_MODELS: folder });
});
