/** @file Operations of graphs on complex tensors, which are lists of two here: real and imaginary parts. */
import { add, fft, ifft, irfft, rfft, sqrt, square } from '../../ops/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call, GraphOp, GraphOps } from '../call.ts';
import { TensorList } from '../tensorList.ts';

const partsOf = (call: Call): [Tensor, Tensor] => {
  const list = call.list(0);
  if (list.length === 2) return [list.get(0) as Tensor, list.get(1) as Tensor];
  throw call.unsupported('a list of tensors', 'it takes a complex tensor.');
};

const transform = (of: (parts: [Tensor, Tensor]) => readonly Tensor[]): GraphOp => ({
  run: (call) => TensorList.of(of(partsOf(call))),
});

export const complex: GraphOps = {
  Complex: { run: (call) => TensorList.of(call.tensors()) },
  ComplexAbs: {
    run: (call) => {
      const [real, imaginary] = partsOf(call);
      return sqrt(add(square(real), square(imaginary)));
    },
  },
  Real: { run: (call) => partsOf(call)[0] },
  Imag: { run: (call) => partsOf(call)[1] },
  FFT: transform((parts) => fft(...parts)),
  IFFT: transform((parts) => ifft(...parts)),
  RFFT: {
    host: [1],
    run: (call) => TensorList.of(rfft(call.tensor(0), { fftLength: call.number(1) })),
  },
  IRFFT: {
    host: [1],
    run: (call) => irfft(...partsOf(call), { fftLength: call.number(1) }),
  },
};
