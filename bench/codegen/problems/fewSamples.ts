/**
 * @file An LSTM and a GRU of 512 units on few samples, whose step kernels include the multiplication of the state, and their
 * gradients.
 */
import { GradientTape, gruSteps, lstmSteps, type Tensor, variable } from 'retrograd';
import { float32, type Problem } from '../problem.ts';

const units = 512;
const time = 16;

/** The gradients of all inputs but the last, which is the cotangent. */
const gradientOf =
  (run: (...inputs: Tensor[]) => Tensor): Problem['run'] =>
  (...given) => {
    const sources = given.slice(0, -1).map((x) => variable(x));
    const tape = new GradientTape();
    return tape.gradient(run(...sources), sources, { outputGradients: given.at(-1) as Tensor });
  };

const layers = [
  {
    name: 'LSTM',
    gates: 4,
    run: (gates: Tensor, kernel: Tensor) => lstmSteps(gates, kernel, null, null, null)[0],
  },
  {
    name: 'GRU',
    gates: 3,
    run: (gates: Tensor, kernel: Tensor) => gruSteps(gates, kernel, null, null, null)[0],
  },
];

export const fewSampleProblems: readonly Problem[] = [1, 4].flatMap((batch) =>
  layers.flatMap(({ name, gates, run }) => {
    const problem = {
      family: 'recurrent',
      name: `${name}, ${units} units, ${time} steps, batch ${batch}`,
      inputs: [float32(batch, time, gates * units), float32(units, gates * units)],
      fmas: gates * batch * time * units * units,
      terms: 0,
      run: run as never,
    };
    return [
      problem,
      {
        ...problem,
        name: `${problem.name}, with gradient`,
        inputs: [...problem.inputs, float32(batch, time, units)],
        fmas: 3 * problem.fmas,
        run: gradientOf(run as never),
      },
    ];
  }),
);
