// Values of a tensor stay on the GPU until a program asks for them.
import { add, init, matMul, mean, mul, range, reshape, sum, tensor } from 'retrograd';
import { show, text } from 'playground';

await init();
const numbers = reshape(range(0, 6), [2, 3]);
await show(numbers);

text('A row is repeated for both rows: broadcasting.');
await show(add(numbers, tensor([10, 20, 30])));

text('Sums and means over all values, or along an axis.');
await show(sum(numbers));
await show(mean(mul(numbers, numbers), { axis: 1 }));

text('Matrices times matrices: [2, 3] · [3, 2] is [2, 2].');
await show(matMul(numbers, numbers, { transposeB: true }));
