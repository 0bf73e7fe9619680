/** @file Methods of other libraries: reading one says what to call instead. */
import { expect, test } from 'vitest';
import { ValueError } from '../../src/core/errors.ts';
import { addMethodHints } from '../../src/core/methodHints.ts';

/** Returns a class that answers `resetStates` and `clear`, and a subclass with a `clear` of its own. */
function gauges() {
  class Gauge {
    readonly name: string = 'loss';

    constructor(hint = 'call reset().') {
      addMethodHints(Gauge.prototype, 'a gauge', { 'resetStates clear': hint, toString: 'print it.' });
    }

    reset() {
      return 'reset';
    }
  }
  class OwnGauge extends Gauge {
    override readonly name = 'own';

    clear() {
      return 'cleared';
    }
  }
  return { Gauge, OwnGauge };
}

const read = (owner: object, name: string | symbol) => Reflect.get(owner, name);

test.each(['resetStates', 'reset_states', 'clear'])('%s is answered with what to call instead', (name) => {
  const { Gauge } = gauges();
  const gauge = new Gauge();
  expect(() => read(gauge, name)).toThrow(ValueError);
  expect(() => read(gauge, name)).toThrow(
    new RegExp(`a gauge has no \`${name}\`\\.[\\s\\S]*received: ${name} of 'loss'[\\s\\S]*call reset\\(\\)`),
  );
});

test('what an object has, and what nothing knows, reads as always', () => {
  const { Gauge } = gauges();
  const gauge = new Gauge();
  expect(gauge.reset()).toBe('reset');
  expect(read(gauge, 'other')).toBeUndefined();
  expect(read(gauge, Symbol('other'))).toBeUndefined();
  // Every object has a toString, so nobody needs its hint.
  expect(String(gauge)).toBe('[object Object]');
});

test('a subclass may have a method of that name', () => {
  const { OwnGauge } = gauges();
  const gauge = new OwnGauge();
  expect(gauge.clear()).toBe('cleared');
  expect(() => read(gauge, 'resetStates')).toThrow(/resetStates of 'own'/);
  // Inspecting a prototype is no use of it.
  expect(read(OwnGauge.prototype, 'resetStates')).toBeUndefined();
});

test('the first hints for a prototype stay', () => {
  const { Gauge } = gauges();
  new Gauge();
  expect(() => read(new Gauge('another hint.'), 'clear')).toThrow('call reset()');
});
