/**
 * @file examples/perceptual-loss/vgg.ts: files of Keras and torchvision become features. Weights and expected results are those
 * of test/fixtures/applications.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadVgg, type Vgg } from '../../examples/perceptual-loss/vgg.ts';
import {
  addN,
  explainHistory,
  FormatError,
  getDevice,
  init,
  mean,
  memory,
  ones,
  squaredDifference,
  type Tensor,
  transpose,
  type Variable,
  valueAndGrad,
  zeros,
} from '../../src/index.ts';
import { BytesTarget, saveTensors } from '../../src/io/index.ts';
import {
  applications,
  clearSession,
  input,
  type KerasTensor,
  layers,
  model,
  sequential,
} from '../../src/keras/index.ts';
import {
  expectStatistics,
  type Fixture,
  formulaTensor,
  imageValue,
  readFixture,
  weightValue,
} from '../keras/applications/formula.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);
afterAll(() => getDevice().pool.trim());

type Network = ReturnType<typeof applications.vgg19>;

/** VGG19 with the formula's weights as far as its perceptual loss looks; zeros after that. */
function formulaNetwork({ weights, salt, perceptual }: Fixture['formula']): Network {
  const net = applications.vgg19({ includeTop: false, kernelInitializer: 'zeros' });
  const last = weights.findIndex(({ path }) => path === `${perceptual?.layers.at(-1)}/bias`);
  for (const [i, { index, offset, scale }] of weights.slice(0, last + 1).entries()) {
    const weight = net.weights[i] as Variable;
    using values = formulaTensor(weight.shape, (e) => weightValue(e, index, salt, offset, scale));
    weight.assign(values);
  }
  return net;
}

/**
 * Returns the file as torchvision has it: kernels [out, in, height, width], numbered with activations and poolings, and a top.
 */
async function asTorchvision(net: Network): Promise<Uint8Array<ArrayBuffer>> {
  const tensors = new Map<string, Tensor>([['classifier.6.bias', ones([10])]]);
  let index = 0;
  for (const layer of net.layers.slice(1)) {
    const [kernel, bias] = layer.weights;
    if (kernel && bias) {
      tensors.set(`features.${index}.weight`, transpose(kernel, { perm: [3, 2, 0, 1] }));
      tensors.set(`features.${index}.bias`, bias);
    }
    index += kernel ? 2 : 1;
  }
  const bytes = await saveTensors(tensors);
  for (const [name, tensor] of tensors) if (!/features.*bias/.test(name)) tensor.dispose();
  return bytes;
}

/** Returns the network's own part, without the preparation of pictures: what the fixtures say. */
function inside(net: Network, names: readonly string[]) {
  return model({
    inputs: net.inputs[0] as KerasTensor,
    outputs: names.map((name) => net.getLayer(name).output as KerasTensor),
  });
}

/** What the first filter sees in white pictures, when it takes the middle of the first channel alone. */
async function firstChannel(vgg: Vgg): Promise<number> {
  using kernel = formulaTensor([3, 3, 3, 64], (e) => (e === 4 * 3 * 64 ? 1 : 0));
  using bias = zeros([64]);
  vgg.network.setWeights([kernel, bias, ...vgg.network.weights.slice(2)]);
  const [seen] = [vgg.features(['block1_conv1']).apply(ones([1, 4, 4, 3]))].flat() as [Tensor];
  return (await seen.data())[0] as number;
}

test("torchvision's VGG19 is recognized by content, and gives the fixture's activations and gradient", async () => {
  const { formula } = readFixture('vgg19');
  const perceptual = formula.perceptual as NonNullable<typeof formula.perceptual>;
  const net = formulaNetwork(formula);
  const bytes = await asTorchvision(net);
  net.dispose();
  const progress: number[] = [];
  using vgg = await loadVgg(new File([bytes], 'weights.bin'), {
    onProgress: ({ loaded, total }) => progress.push(loaded / total),
  });
  expect([vgg.name, vgg.weights]).toEqual(['VGG19', 'weights of torchvision from weights.bin']);
  expect(progress.at(-1)).toBe(1);
  expect(explainHistory(vgg.network.weights[0]).why).toContain("'weights.bin'");

  const [a, b] = perceptual.images.map((g) =>
    formulaTensor(formula.inputShape, (e) => imageValue(e, g, formula.salt)),
  ) as [Tensor, Tensor];
  const features = inside(vgg.network, perceptual.layers);
  const seen = features.apply(a) as Tensor[];
  for (const [i, layer] of perceptual.layers.entries()) {
    const expected = formula.activations.find((activation) => activation.layer === layer);
    const values = (await (seen[i] as Tensor).data()) as Float32Array;
    if (expected) expectStatistics(values, expected, formula.tolerance.ofStd);
  }
  const wanted = features.apply(b) as Tensor[];
  const { value, grad } = valueAndGrad((x: Tensor) =>
    addN((features.apply(x) as Tensor[]).map((y, i) => mean(squaredDifference(y, wanted[i] as Tensor)))),
  )(a);
  expect(Math.abs((await value.item()) / perceptual.value - 1)).toBeLessThan(perceptual.tolerance.rtol);
  expectStatistics((await grad.data()) as Float32Array, perceptual.gradient, perceptual.tolerance.ofStd);

  // Red comes first there, from 0 to 1, and is normalized.
  expect(await firstChannel(vgg)).toBeCloseTo((1 - 0.485) / 0.229, 5);
});

test("Keras's VGG16 is recognized by content, and sees pictures as Keras prepares them", async () => {
  const net = applications.vgg16({ includeTop: false, kernelInitializer: 'zeros' });
  const target = new BytesTarget();
  await net.saveWeights(target);
  net.dispose();
  using vgg = await loadVgg(new File([target.bytes], 'mine.weights.h5'));
  expect([vgg.name, vgg.weights]).toEqual(['VGG16', 'weights of Keras from mine.weights.h5']);
  // Blue comes first, from 0 to 255, and its mean is taken off.
  expect(await firstChannel(vgg)).toBeCloseTo(255 - 103.939, 3);
  expect(() => vgg.features(['block1_conv1', 'block3_conv4'])).toThrow(
    /layers of VGG16[\s\S]*'block3_conv4'/,
  );
});

test('a file that does not fit is reported, for both networks, and leaves nothing behind', async () => {
  using net = sequential([input({ shape: [2] }), layers.dense({ units: 2, name: 'top' })]);
  const target = new BytesTarget();
  await net.saveWeights(target);
  const before = memory().tensors;
  const error = await loadVgg(new File([target.bytes], 'mine.weights.h5')).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(FormatError);
  expect(String(error)).toMatch(/mine\.weights\.h5: the file must have the weights of VGG16 or VGG19/);
  expect(String(error)).toMatch(/VGG19: .*block1_conv1\/kernel.* VGG16: .*block1_conv1\/kernel/s);
  const damaged = await loadVgg(new File([target.bytes.subarray(0, 600)], 'cut.h5')).catch((e: unknown) => e);
  expect(damaged).toBeInstanceOf(FormatError);
  expect(String(damaged)).not.toMatch(/VGG16/);
  await expect(loadVgg(new File(['<html>'], 'page.pth'))).rejects.toThrow(/a server sent a page/);
  expect(memory().tensors).toBe(before);
});
