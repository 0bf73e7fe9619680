/** @file The table of adapter profiles, and which of them a device has. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { explainChoice, getDevice, init, matMul, setDevice, ValueError } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { createProfile, profileOf } from '../../src/kernels/selection/deviceProfile.ts';
import { ownDevice } from '../support/ownDevice.ts';

await init();

test.each(Object.entries(adapterProfiles))('the profile %s has the name of its kind', (kind, profile) => {
  expect(profile.kind).toBe(kind);
});

test('a device has the profile of its adapter, made once', () => {
  const device = getDevice();
  const profile = profileOf(device);
  expect(profile).toMatchObject(adapterProfiles[device.adapter.kind]);
  expect(profileOf(device)).toBe(profile);
  expect(profile.subgroups).toBe(device.gpu.features.has('subgroups'));
});

describe('init({ adapterProfile })', () => {
  test('selects for another kind of adapter', async () => {
    await using own = await ownDevice();
    const device = await init({ device: own.gpu, adapterProfile: 'apple' });
    expect(device).toBe(own.device);
    expect(profileOf(device)).toEqual(createProfile(device, 'apple'));
    const size = { shape: [512, 512] };
    // The shared tile of few registers, which fits processors that keep many threads waiting.
    expect(explainChoice(matMul, size, size).choices[0]?.taken).toBe('smallTall');
  });

  test.each(['gpu', 'Apple', '', null, 3, 'constructor'])('%j is rejected', async (kind) => {
    const device = getDevice();
    await expect(init({ adapterProfile: kind as never })).rejects.toThrow(ValueError);
    await expect(init({ adapterProfile: kind as never })).rejects.toThrow(/`adapterProfile` is one of/);
    setDevice(device);
  });
});

test('no kernel asks for the kind of an adapter: profiles say all that depends on it', () => {
  const folder = new URL('../../src/kernels/', import.meta.url);
  const codeOf = (name: string) =>
    readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const asking = names.filter((name) => /\.adapter\b|[{,]\s*adapter\s*[,:}]/.test(codeOf(name)));
  expect(asking).toEqual(['selection/deviceProfile.ts']);
});
