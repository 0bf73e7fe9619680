/** @file Why a submission is invalid: because of a bind group that WebGPU's message names, if it names one. */
import { expect, test } from 'vitest';
import { BindGroups } from '../../src/webgpu/bindGroup.ts';

/** Bind groups of a device that reports `message` for each. */
function invalidGroups(message: string): BindGroups {
  const device = { createBindGroup: () => ({}) };
  const during = (_: string, body: () => unknown, explain: (error: { message: string }) => unknown) => {
    explain({ message });
    return body();
  };
  const groups = new BindGroups(device as never, { during } as never);
  groups.create({ label: 'add', bindings: { gpu: {} } } as never, [], []);
  return groups;
}

test('the reason of a bind group is that of submissions that name it, and of no others', () => {
  const groups = invalidGroups('[Buffer] is of another device, while creating [BindGroup "retrograd add"].');
  expect(groups.reasonFor('[Invalid BindGroup "retrograd add"] is invalid.')).toMatchObject({ op: 'add' });
  expect(groups.reasonFor('[Invalid BindGroup "retrograd mul"] is invalid.')).toBeNull();
  expect(groups.reasonFor('[Buffer] used in submit while destroyed.')).toBeNull();
});

test('without a name in the message, no submission gets the reason', () => {
  expect(invalidGroups('something is invalid').reasonFor('something else is invalid')).toBeNull();
});
