import { getDevice } from 'retrograd';
import { text } from 'notebook';

// As when a driver crashes: the device is gone, with all of its data.
const { gpu } = getDevice();
gpu.destroy();
await gpu.lost;
text(
  'The device is gone. A reconstruction that runs above opens a new one, and ' +
    'goes on from the last step that it showed, moments of Adam included.',
);
