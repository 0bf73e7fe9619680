/** @file Reports and recordings that are shown in a page, for test/e2e/inspector.test.ts. */
import { init, randomNormal } from '../../../src/index.ts';
import { inspect, recordSteps } from '../../../src/inspect/index.ts';
import { initializers, layers, sequential } from '../../../src/keras/index.ts';

function network(bias: number) {
  const biasInitializer = initializers.constant({ value: bias });
  const net = sequential([
    layers.inputLayer({ shape: [4] }),
    layers.dense({ units: 8, activation: 'relu', biasInitializer }),
    layers.dense({ units: 1 }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'mse' });
  return net;
}

const batch = () => [randomNormal([8, 4], { seed: 1 }), randomNormal([8, 1], { seed: 2 })] as const;

/** Next to the app, and closed by its button. */
export async function showReport() {
  await init();
  const host = await (await inspect(network(-50), ...batch())).show();
  const shadow = host.shadowRoot as ShadowRoot;
  const findings = shadow.querySelector('.finding')?.textContent;
  const isFixed = getComputedStyle(host).position === 'fixed';
  (shadow.querySelector('.close') as HTMLElement).click();
  return { findings, isFixed, afterClose: host.isConnected };
}

/** In an element of the app: a step is replayed on a click, and the next one opens at the same tab. */
export async function showRecording() {
  const recording = recordSteps(network(0), { featureMaps: 0 });
  for (let step = 0; step < 6; step++) await recording.step(...batch());
  const container = document.createElement('div');
  document.body.append(container);
  const host = await recording.show(container);
  const shadow = host.shadowRoot as ShadowRoot;
  const find = (selector: string) => shadow.querySelector(selector) as HTMLInputElement;
  const before = find('.status').textContent;
  const choose = (step: number) => {
    find('input[type="range"]').value = String(step);
    find('input[type="range"]').dispatchEvent(new Event('input'));
  };
  const replay = async () => {
    find('.open').click();
    while (!find('.tabs')) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  choose(3);
  const offered = find('.open').textContent;
  await replay();
  const title = shadow.querySelectorAll('h2.title')[1]?.textContent;
  find('#tab-gradients').click();
  choose(2);
  await replay();
  const kept = find('[aria-selected="true"]').textContent;
  recording.dispose();
  return { before, offered, title, kept };
}
