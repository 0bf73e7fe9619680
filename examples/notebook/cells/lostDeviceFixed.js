import { init } from 'retrograd';
import { text } from 'notebook';

const device = await init();
text(
  `A device is open: ${device.adapter.vendor} ${device.adapter.architecture}.`,
  'good',
);
