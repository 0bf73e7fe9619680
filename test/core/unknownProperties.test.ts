/** @file Assignments to properties that nothing reads. */
import { expect, test } from 'vitest';
import { ValueError } from '../../src/core/errors.ts';
import { fixProperties, rejectUnknownProperties } from '../../src/core/unknownProperties.ts';

class Optimizer {
  name = 'adam';
  learningRate = 0.1;
  #momentum = 0;
  static asked: string[] = [];

  constructor() {
    rejectUnknownProperties(Optimizer.prototype, (owner: Optimizer, name) => {
      Optimizer.asked.push(`${owner.name}.${name}`);
      return name === 'lr' ? 'set `learningRate`.' : null;
    });
  }

  get momentum() {
    return this.#momentum;
  }

  set momentum(value: number) {
    this.#momentum = value;
  }
}

class Own extends Optimizer {
  override name = 'own';
  lr = 3;
}

test('a property that nothing reads is rejected with what to write instead', () => {
  const optimizer = new Optimizer() as Optimizer & Record<string, unknown>;
  expect(() => {
    optimizer.lr = 0.5;
  }).toThrow(ValueError);
  expect(() => {
    optimizer.lr = 0.5;
  }).toThrow(/adam: it has no property `lr`[\s\S]*received: lr = 0\.5[\s\S]*set `learningRate`/);
  expect('lr' in optimizer).toBe(false);
});

test('other assignments work as always', () => {
  const optimizer = new Optimizer() as Optimizer & Record<string | symbol, unknown>;
  Optimizer.asked = [];
  optimizer.learningRate = 0.2;
  optimizer.momentum = 0.9;
  expect([optimizer.learningRate, optimizer.momentum]).toEqual([0.2, 0.9]);
  expect(Optimizer.asked).toEqual([]);
  optimizer.note = 'mine';
  const key = Symbol('key');
  optimizer[key] = 1;
  expect([optimizer.note, optimizer[key]]).toEqual(['mine', 1]);
  expect(Optimizer.asked).toEqual(['adam.note']);
  optimizer.note = 'again';
  expect(Optimizer.asked).toEqual(['adam.note']);
});

test('fields that a class declares are its own', () => {
  const own = new Own();
  own.lr = 4;
  expect(own.lr).toBe(4);
});

test('each prototype is guarded once, from its first object on', () => {
  const asked: string[] = [];
  class Schedule {
    constructor() {
      rejectUnknownProperties(Schedule.prototype, (_, name) => {
        asked.push(name);
        return null;
      });
    }
  }
  const first = new Schedule();
  for (const schedule of [first, new Schedule()]) Object.assign(schedule, { other: 1 });
  expect(asked).toEqual(['other', 'other']);
});

test('fixed properties keep their values, and say what to do instead', () => {
  const owner = { name: 'dense', units: 3, free: 1 };
  fixProperties(owner, ['units', 'missing'], 'make another layer.');
  expect(owner.units).toBe(3);
  expect(() => {
    owner.units = 4;
  }).toThrow(/dense: `units` is fixed\.[\s\S]*received: units = 4[\s\S]*make another layer/);
  owner.free = 2;
  expect(owner).toMatchObject({ name: 'dense', units: 3, free: 2 });
  expect(Object.keys(owner)).toEqual(['name', 'units', 'free']);
  expect('missing' in owner).toBe(false);
  // Fixing them again keeps the first hint.
  fixProperties(owner, ['units'], 'another hint.');
  expect(() => {
    owner.units = 4;
  }).toThrow('make another layer');
});

test('a class may declare a property that its base class fixed', () => {
  class Base {
    name = 'base';
    units = 3;
    constructor() {
      fixProperties(this, ['units'], 'make another layer.');
    }
  }
  class Derived extends Base {
    override units = 5;
  }
  expect(new Derived().units).toBe(5);
});
