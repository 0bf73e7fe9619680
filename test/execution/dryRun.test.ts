/** @file Dry runs: which commands they collect, and that they change nothing. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { TapeError, ValueError } from '../../src/core/errors.ts';
import { currentExecutor } from '../../src/execution/currentExecutor.ts';
import { DryRun, LaunchSurvey } from '../../src/execution/dryRun.ts';
import { add, mul } from '../../src/ops/elementwise/arithmetic.ts';
import { exp } from '../../src/ops/elementwise/unary.ts';
import { tensor } from '../../src/tensor/create.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { variable } from '../../src/tensor/variable.ts';
import type { Executor } from '../../src/webgpu/executor.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';

let own: OwnDevice;

beforeEach(async () => {
  own = await ownDevice();
  onTestFinished(() => own[Symbol.asyncDispose]());
});

const executor = () => currentExecutor() as Executor;

test('launches and copies are noted in order, and none happens', async () => {
  const [x, y] = [tensor([1, 2]), tensor([0, 0])];
  await own.device.sync();
  const { launches } = own.device.stream.statistics;
  const dry = new DryRun();
  expect(dry.commands).toEqual([]);
  dry.run(() => {
    mul(x, 2);
    own.device.copy(x.storage, y.storage, 8);
  });
  dry.end();
  await Promise.all(dry.compilations);
  expect(dry.compilations.size).toBe(1);
  expect(dry.commands).toMatchObject([
    { kind: 'launch' },
    { kind: 'copy', source: x.storage, target: y.storage, bytes: 8 },
  ]);
  expect(await y.array()).toEqual([0, 0]);
  expect(own.device.stream.statistics.launches).toBe(launches);
});

test('variables get back the values from before the first assignment', async () => {
  const [v, w] = [variable(tensor([1])), variable(tensor([2]))];
  const dry = new DryRun();
  dry.run(() => {
    v.assign(add(v, 1));
    v.assign(mul(v, 5));
    // Replaced without being read before.
    w.assign(tensor([7]));
  });
  dry.end();
  expect([await v.item(), await w.item()]).toEqual([1, 2]);
  expect(dry.disturbed).toBe(false);
});

test('untraced work is done, on the values from before the run', async () => {
  const v = variable(tensor([1]));
  const dry = new DryRun();
  let made: Tensor | undefined;
  dry.run(() => {
    v.assign(add(v, 1));
    made = executor().untraced(() => add(v, 10));
  });
  dry.end();
  expect(await (made as Tensor).item()).toBe(11);
  expect(dry.disturbed).toBe(true);
  const other = new DryRun();
  other.run(() =>
    executor().postpone('later', () => {
      made = add(v, 20);
    }),
  );
  other.end();
  expect(await (made as Tensor).item()).toBe(21);
  expect(other.disturbed).toBe(true);
});

test('readbacks and new variables are rejected', () => {
  const dry = new DryRun();
  dry.run(() => {
    expect(executor().mode).toBe('dry run');
    expect(() => executor().requireReadable()).toThrow(TapeError);
    expect(() => executor().requireReadable()).toThrow(/^warmup: a dry run has no values.*readback/s);
    expect(() => executor().creating('w')).toThrow(ValueError);
    expect(() => executor().creating('w')).toThrow(/^warmup: a dry run makes no variables.*'w'/s);
  });
});

test('its tensors have no values after it', () => {
  const x = tensor([1]);
  let made: Tensor | undefined;
  const dry = new DryRun();
  dry.run(() => {
    made = exp(x);
  });
  dry.end();
  expect(() => exp(made as Tensor)).toThrow(/^warmup: tensors made in a dry run.*made by exp/s);
});

test('a survey compiles nothing, and knows the pipelines that are there', async () => {
  const x = tensor([1]);
  const before = own.device.pipelineCount;
  const launchOf = () => {
    const survey = new LaunchSurvey();
    survey.run(() => exp(x));
    survey.end();
    expect(survey.compilations.size).toBe(0);
    expect(survey.commands).toHaveLength(1);
    const [command] = survey.commands;
    return command?.kind === 'launch' ? command : null;
  };
  const first = launchOf();
  expect(own.device.pipelineCount).toBe(before);
  expect(first?.pipeline.gpu).toBeNull();
  expect(first?.pipeline.label).toMatch(/\w/);
  await exp(x).data();
  const second = launchOf();
  expect(second?.pipeline.gpu).not.toBeNull();
  expect(second?.pipeline.label).toBe(first?.pipeline.label);
});
