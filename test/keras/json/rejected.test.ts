/** @file Descriptions that are damaged or malicious. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FormatError, init, memory, type Tensor, ValueError } from '../../../src/index.ts';
import {
  clearSession,
  input,
  Layer,
  model,
  modelFromJSON,
  modelToConfig,
  modelToJSON,
} from '../../../src/keras/index.ts';
import { changed, configOf, type Loose } from './support.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

describe('invalid parts are rejected with their place, and leave nothing behind', () => {
  const layer = (document: Loose, name: string) =>
    document.config.layers.find((entry: Loose) => entry.name === name);
  const cases: [string, string, RegExp][] = [
    ['text that is cut short', configOf('nested').slice(0, -40), /the text/],
    ['a list', '[]', /a list, at the top/],
    ['null', 'null', /object with class_name/],
    ['a number', '3', /object with class_name/],
    ['no config', '{"class_name": "Functional"}', /class_name and config/],
    [
      'a nest without end',
      `{"class_name": "Dense", "config": ${'['.repeat(20000)}${']'.repeat(20000)}}`,
      /at most 200 deep/,
    ],
    [
      'millions of lists',
      `{"class_name": "Dense", "config": [${'[],'.repeat(2 ** 20)}[]]}`,
      /at most 1048576 lists and objects/,
    ],
    [
      'a key of the prototype',
      configOf('nested').replace('"units"', '"__proto__": {"polluted": 1}, "units"'),
      /__proto__/,
    ],
    [
      'a key constructor',
      configOf('nested').replace('"units"', '"constructor": {"polluted": 1}, "units"'),
      /constructor/,
    ],
    [
      'a key prototype',
      configOf('nested').replace('"units"', '"prototype": {"polluted": 1}, "units"'),
      /prototype/,
    ],
    [
      'an unknown class',
      changed((d) => Object.assign(layer(d, 'score'), { class_name: 'Danse' })),
      /registerClass\(Danse/,
    ],
    [
      'a class of another module',
      changed((d) => Object.assign(layer(d, 'score'), { module: 'os', class_name: 'Dense' })),
      /module 'os'/,
    ],
    [
      'a class named as what JavaScript has',
      changed((d) => Object.assign(layer(d, 'score'), { class_name: 'constructor' })),
      /class 'constructor'/,
    ],
    [
      'units that are none',
      changed((d) => {
        layer(d, 'score').config.units = -3;
      }),
      /units[\s\S]*layers\[5\] \(Dense 'score'\)/,
    ],
    [
      'terabytes of units',
      changed((d) => {
        layer(d, 'shared').config.units = 1e12;
      }),
      /.*/,
    ],
    [
      'an unknown activation',
      changed((d) => {
        layer(d, 'score').config.activation = 'rely';
      }),
      /activation is one of/,
    ],
    [
      'an unknown option',
      changed((d) => {
        layer(d, 'score').config.quantity = 1;
      }),
      /Dense has no such option[\s\S]*'quantity'/,
    ],
    [
      'an option that no version is known to have',
      changed((d) => {
        layer(d, 'score').config.quantity = 1;
      }),
      /'quantity' may be of another version of Keras or of a class of your own/,
    ],
    [
      'options of older versions',
      changed((d) => {
        Object.assign(layer(d, 'score').config, { input_dim: 3, W_regularizer: null });
      }),
      /older versions of Keras had 'input_dim', 'W_regularizer': load and save the model with Keras 3/,
    ],
    [
      'an option that Keras alone has',
      changed((d) => {
        layer(d, 'score').config.quantization_config = {};
      }),
      /quantization_config/,
    ],
    [
      'a name given twice',
      changed((d) => {
        layer(d, 'score').name = 'value';
      }),
      /second layer named 'value'/,
    ],
    [
      'an input from nowhere',
      changed((d) => {
        layer(d, 'score').inbound_nodes[0].args[0].config.keras_history[0] = 'gone';
      }),
      /fed by 'gone'/,
    ],
    [
      'a cycle',
      changed((d) => {
        layer(d, 'shared').inbound_nodes[0].args[0].config.keras_history = ['score', 0, 0];
      }),
      /waits for call/,
    ],
    [
      'a reference that is none',
      changed((d) => {
        layer(d, 'score').inbound_nodes[0].args[0].config.keras_history = ['joined', -1, 0];
      }),
      /keras_history/,
    ],
    [
      'a call in the old form',
      changed((d) => {
        layer(d, 'score').inbound_nodes = [[['joined', 0, 0, {}]]];
      }),
      /args and kwargs/,
    ],
    [
      'an output that is none',
      changed((d) => {
        d.config.output_layers = [['score', 4, 0]];
      }),
      /output_layers/,
    ],
    [
      'no layers',
      changed((d) => {
        d.config.layers = {};
      }),
      /list of layers/,
    ],
    ['a layer alone', JSON.stringify({ class_name: 'Dense', config: { units: 2 } }), /describes a model/],
  ];
  for (const [what, text, message] of cases) {
    test(what, () => {
      const before = memory().tensors;
      const read = () => modelFromJSON(text, { file: 'some.json' });
      expect(read).toThrow(FormatError);
      expect(read).toThrow(message);
      expect(read).toThrow(/^some\.json: /);
      expect(memory().tensors).toBe(before);
      expect(({} as Loose).polluted).toBeUndefined();
    });
  }

  test('an endless object, and anything but a document', () => {
    const endless: Loose = { class_name: 'Dense', config: {} };
    endless.config.self = endless;
    expect(() => modelFromJSON(endless)).toThrow(FormatError);
    expect(() => modelFromJSON(undefined as never)).toThrow(ValueError);
    expect(() => modelToConfig({} as never)).toThrow(ValueError);
  });

  test('a layer may have the name of the prototype', () => {
    const text = changed((d) => {
      layer(d, 'score').config.name = 'constructor';
      layer(d, 'score').name = 'constructor';
      d.config.output_layers[0][0] = 'constructor';
    });
    expect(modelFromJSON(text).getLayer('constructor').className).toBe('Dense');
  });

  test('a model with a custom call needs a registered class', () => {
    class Own extends Layer {
      static override readonly className: string = 'Own';
      override call(x: Tensor): Tensor {
        return x;
      }
    }
    const x = input({ shape: [1] });
    const text = modelToJSON(model({ inputs: x, outputs: new Own({ name: 'own' }).apply(x) }) as never);
    expect(() => modelFromJSON(text)).toThrow(/class 'Own' of layer 'own'/);
  });
});
