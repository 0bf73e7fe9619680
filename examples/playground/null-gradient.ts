// A gradient that is null. The library says where its path ends, and why.
import { explainHistory, GradientTape, init, mean, mul, square, tensor, variable } from 'retrograd';
import { table, text } from 'playground';

await init();
const weight = variable(tensor([1, 2, 3]), { name: 'weight' });

using tape = new GradientTape();
const scaled = mul(weight, 2);

// Read back, changed in JavaScript, uploaded again: a new tensor, which knows
// nothing of `weight`.
const values = await scaled.data();
const uploaded = tensor(values.map((value) => value + 1));
const loss = mean(square(uploaded));

const gradient = tape.gradient(loss, weight, { unconnectedGradients: 'none' });
table([{ 'gradient of the loss for weight': String(gradient) }]);

text(tape.explain(loss, weight).text, 'library');
text(explainHistory(uploaded).text, 'library');
text('The fix: stay on the device, as in add(scaled, 1).', 'good');
