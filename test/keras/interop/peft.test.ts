/** @file Adapters that are saved here, computed by real PEFT: `npm run test:keras`. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { init, type Tensor, tidy } from '../../../src/index.ts';
import { loadAdapter, saveAdapter } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';
import { peftFolder, peftIds, peftModules as modules, peftNet, peftValues } from '../../support/peftNet.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON ?? '';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peft-'));
const pathOf = (name: string) => fileURLToPath(new URL(name, peftFolder));
/** The environment that test:keras makes needn't have PEFT. */
const hasPeft =
  python !== '' &&
  spawnSync(python, ['-c', 'import importlib.metadata as m; m.version("peft")']).status === 0;

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);
afterAll(() => fs.rmSync(folder, { recursive: true }));

const cases: [string, object][] = [
  ['all dense layers', { rank: 2, alpha: 5, targets: 'all-linear', layout: 'peft' }],
  ['Keras’s layout', { rank: 2, targets: ['query', 'value', 'conv', 'wte'], rankStabilized: true }],
  [
    'ranks by pattern',
    { rank: 2, targets: ['up_0', 'down_*'], rankPattern: { down_1: 4 }, alsoTrain: ['head', 'conv'] },
  ],
];

test.runIf(hasPeft).each(cases)('%s', async (name, options) => {
  const net = peftNet();
  net.enableLora(options as never);
  for (const [i, weight] of net.trainableWeights.entries())
    weight.assign(tidy(() => peftValues(weight.shape, i)));
  const adapter = path.join(folder, name.replaceAll(/\W/g, '_'));
  await fs.promises.mkdir(adapter);
  await saveAdapter(net, adapter, { modules, config: { fan_in_fan_out: true } });
  const { status, stderr } = spawnSync(python, [pathOf('make.py'), pathOf('.'), adapter, adapter]);
  expect(status, String(stderr)).toBe(0);
  const { logits } = JSON.parse(fs.readFileSync(path.join(adapter, 'result.json'), 'utf8'));
  const computed = await (net.apply(peftIds()) as Tensor).data();
  for (const [i, value] of computed.entries()) expect(value).toBeCloseTo(logits[i], 4);
  const other = peftNet();
  await loadAdapter(other, path.join(adapter, 'adapter_model.safetensors'), { modules });
  const again = await (other.apply(peftIds()) as Tensor).data();
  for (const [i, value] of again.entries()) expect(value).toBeCloseTo(logits[i], 4);
});
