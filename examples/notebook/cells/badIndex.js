import { gather, randomNormal, tensor } from 'retrograd';
import { text } from 'notebook';

const table = randomNormal([8, 4], { seed: 1, name: 'table' });
const indices = tensor([0, 9], { dtype: 'int32', name: 'indices' });

// Validated, as usual: the GPU checks each index. The readback reports.
try {
  await gather(table, indices).data();
} catch (error) {
  text('Validated: rejected, and the device lives on.', 'good');
  text(error.message, 'library');
}

// Unchecked: the same kernel without the comparison. Nothing is reported.
const rows = await gather(table, indices, { validateIndices: false }).array();
text('Unchecked: row 9 of 8 reads as zeros, silently.', 'bad');
text(
  rows.map((row) => row.map((x) => x.toFixed(2)).join('  ')).join('\n'),
  'library',
);
