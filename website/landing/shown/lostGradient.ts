import { GradientTape, mean, mul, square, tensor, variable } from 'retrograd';

/** A value that was read back on its way to the loss. Returns what the library says. */
export async function lostGradient(): Promise<string> {
  // shown
  const weight = variable(tensor([1, 2, 3]), { name: 'weight' });
  using tape = new GradientTape();
  const values = await mul(weight, 2).data();
  const loss = mean(square(tensor(values)));

  tape.gradient(loss, weight); // null
  const { text } = tape.explain(loss, weight);
  // end
  return text;
}
