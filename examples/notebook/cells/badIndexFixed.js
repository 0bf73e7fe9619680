import { gather, randomNormal, tensor } from 'retrograd';
import { text } from 'notebook';

const table = randomNormal([8, 4], { seed: 1, name: 'table' });
// Indices of 8 rows go from 0 to 7.
const indices = tensor([0, 7], { dtype: 'int32', name: 'indices' });

const rows = await gather(table, indices).array();
text('Both rows are there.', 'good');
text(
  rows.map((row) => row.map((x) => x.toFixed(2)).join('  ')).join('\n'),
  'library',
);
