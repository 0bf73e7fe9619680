/** @file A model's outputs and gradients, and a loss of its features. */
import {
  add,
  GradientTape,
  mean,
  mul,
  square,
  sub,
  type Tensor,
  tidy,
  type Variable,
} from '../../../src/index.ts';
import { losses, model as modelOf } from '../../../src/keras/index.ts';
import { type AnyModel, type Check, type ModelUnderTest, nameFor, single } from './underTest.ts';

export const checkOutputs: Check = async (test) => {
  const outputs = outputsOf(test, test.build(), test.inputs());
  const faults = await Promise.all(
    outputs.map((output, i) => test.compare(`output ${i}`, output, `output${i}`)),
  );
  if (outputs.length !== test.meta.outputs.length)
    faults.push([`${outputs.length} outputs, expected ${test.meta.outputs.length}`]);
  return faults.flat();
};

/** The stated loss over all rows as one batch, and its gradients by all trained weights and float inputs. */
export const checkGradients: Check = async (test) => {
  const model = test.build();
  const inputs = test.inputs();
  const floats = inputs.filter(({ dtype }) => dtype === 'float32');
  const weights = model.trainableWeights;
  using tape = new GradientTape();
  tape.watch(floats);
  const loss = test.keep(lossOf(test, model, inputs));
  const found = tape.gradient(loss, [...weights, ...floats]);
  for (const gradient of found) if (gradient) test.keep(gradient);
  const { rtol, atol } = test.meta.tolerance;
  const value = await loss.item();
  const off = Math.abs(value - test.meta.lossValue);
  const faults =
    off <= atol + rtol * Math.abs(test.meta.lossValue)
      ? []
      : [`loss ${value}, expected ${test.meta.lossValue}`];
  const names = namesOfGradients(test, weights, inputs);
  for (const [i, name] of names.entries()) {
    const gradient = found[i] ?? null;
    if (name === null) faults.push(`io.safetensors has no gradient of ${weights[i]?.name}`);
    else if (gradient) faults.push(...(await test.compare(name, gradient, name)));
    else if (test.host(name).data.some((entry) => entry !== 0)) faults.push(`${name} is null`);
  }
  const stated = [...test.io.keys()].filter((name) => name.startsWith('grad'));
  const missed = stated.filter((name) => !names.includes(name));
  return [...faults, ...missed.map((name) => `${name} was not asked for: no weight is trained of that name`)];
};

function namesOfGradients(
  test: ModelUnderTest,
  weights: readonly Variable[],
  inputs: readonly Tensor[],
): (string | null)[] {
  const paths = [...test.io.keys()].filter((name) => name.startsWith('grad/')).map((name) => name.slice(5));
  const ofWeights = weights.map(({ name }) => {
    const found = nameFor(name as string, paths);
    return found === null ? null : `grad/${found}`;
  });
  const ofInputs = inputs.flatMap(({ dtype }, i) => (dtype === 'float32' ? [`grad_input/x${i}`] : []));
  return [...ofWeights, ...ofInputs];
}

/** Returns the losses of all outputs by their weights. */
function lossOf(test: ModelUnderTest, model: AnyModel, inputs: readonly Tensor[]): Tensor {
  const outputs = outputsOf(test, model, inputs);
  const names = [test.meta.loss].flat();
  const targets = test.targets();
  return tidy(() => {
    const terms = outputs.map((output, i) => {
      const loss = losses.get(names[i] as string).call(targets[i] as Tensor, output);
      return mul(loss, test.meta.lossWeights?.[i] ?? 1);
    });
    return terms.reduce((a, b) => add(a, b));
  });
}

function outputsOf(test: ModelUnderTest, model: AnyModel, inputs: readonly Tensor[]): Tensor[] {
  const outputs = [model.apply(single(inputs) as never)].flat() as unknown as Tensor[];
  return outputs.map((output) => test.keep(output));
}

export const checkPerceptual: Check = async (test) => {
  const { perceptual } = test.meta;
  if (!perceptual) return null;
  const model = test.build();
  const features = modelOf({
    inputs: model.input as never,
    outputs: perceptual.layers.map((name) => model.getLayer(name).output),
  } as never);
  // The images have no axis for the batch, or one of a single image.
  const [predicted, target] = ['predicted', 'target'].map((name) => test.tensor(`perceptual/${name}`));
  using tape = new GradientTape();
  tape.watch(predicted as Tensor);
  const [wanted, given] = [target, predicted].map((image) =>
    outputsOf(test, features as never, [image as Tensor]),
  ) as [Tensor[], Tensor[]];
  const parts = given.map((feature, i) =>
    test.keep(tidy(() => mean(square(sub(feature, wanted[i] as Tensor))))),
  );
  const loss = test.keep(tidy(() => parts.reduce((a, b) => add(a, b))));
  const [gradient] = tape.gradient(loss, [predicted as Tensor]);
  const faults: string[] = [];
  for (const [i, name] of perceptual.layers.entries())
    faults.push(
      ...(await test.compare(`features of ${name}`, given[i] as Tensor, `perceptual/features/${name}`)),
    );
  const { rtol, atol } = test.meta.tolerance;
  for (const [tensor, expected] of [...parts, loss].map(
    (part, i) => [part, [...perceptual.parts, perceptual.value][i]] as const,
  )) {
    const value = await tensor.item();
    if (!(Math.abs(value - (expected as number)) <= atol + rtol * Math.abs(expected as number)))
      faults.push(`perceptual loss ${value}, expected ${expected}`);
  }
  if (!gradient) return [...faults, 'the gradient of the perceptual loss is null'];
  return [...faults, ...(await test.compare('gradient', test.keep(gradient), 'perceptual/gradient'))];
};
