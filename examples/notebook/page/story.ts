/** @file The notebook from top to bottom: its chapters, their text and their cells. */

export interface Chapter {
  id: string;
  title: string;
  words: readonly string[];
  cells: readonly CellPlan[];
}

export interface CellPlan {
  /** `cells/NAME.js` */
  name: string;
  title: string;
  /** Runs when the page is opened; others wait for a click. */
  opens?: boolean;
  /** Whether only other cells use it: its code is then folded. */
  support?: boolean;
  /** The label of the button that runs it. */
  run?: string;
  /** An alternative source for the cell, one click away: the corrected code. */
  fix?: { name: string; label: string };
}

export const chapters: readonly Chapter[] = [
  {
    id: 'device',
    title: 'Your device',
    words: [
      'What computes here. A software adapter works, too, only slower; the page then begins with smaller pictures.',
    ],
    cells: [{ name: 'adapter', title: 'Adapter', opens: true }],
  },
  {
    id: 'picture',
    title: 'A picture',
    words: ['The target of both descents. Take your own: it is read here and sent nowhere.'],
    cells: [{ name: 'picture', title: 'Picture', opens: true }],
  },
  {
    id: 'losses',
    title: 'Two losses',
    words: [
      'The pixel loss asks how far each pixel is off. The perceptual loss shows both pictures to VGG19 and compares what its layers answer. Its weights may be random: what counts is that nearby filters look for edges, colours and textures. If you have a file of a trained VGG16 or VGG19, from Keras or torchvision, drop it below.',
    ],
    cells: [
      { name: 'features', title: 'What VGG19 sees', opens: true },
      { name: 'losses', title: 'Losses', support: true },
    ],
  },
  {
    id: 'descent',
    title: 'From noise, twice',
    words: [
      'Press Start, and move the sliders while it runs. Weights and learning rate act on the next step; seed, size and picture restart the run.',
    ],
    cells: [
      { name: 'reconstruct', title: 'Reconstruction', opens: true },
      { name: 'descent', title: 'Descent', support: true },
      { name: 'trainer', title: 'The loop', support: true },
    ],
  },
  {
    id: 'more',
    title: 'Style, and twice the size',
    words: [
      'The same features, asked other questions. Which of them occur together, wherever they are, is a style: Gram matrices of several layers. And a small network learns to double a picture, by what VGG19 sees in its answers.',
    ],
    cells: [
      { name: 'style', title: 'Style', run: 'Set up' },
      { name: 'superResolution', title: 'Super-resolution ×2', run: 'Set up' },
    ],
  },
  {
    id: 'graph',
    title: 'The picture of the graph',
    words: [
      'Every tensor knows the call that made it. The gradient runs back along the lit path, from the loss to the picture. Open a layer to see its ops; point at a node, or move to it with Tab, for shapes, types and bytes.',
    ],
    cells: [
      { name: 'graph', title: 'Lineage of the loss', run: 'Draw' },
      { name: 'scene', title: 'The scene', support: true },
    ],
  },
  {
    id: 'inside',
    title: 'Inside a step',
    words: [
      'A small network with a fault, and the report of one step of its training: the graph, the values of each layer, the gradient on its way, memory, kernels. Its first page says in words why the network learns so little.',
    ],
    cells: [{ name: 'inside', title: 'The step inspector', run: 'Inspect a step' }],
  },
  {
    id: 'break',
    title: 'Break it',
    words: [
      'Each of these goes wrong on purpose. The library says what happened, where, and how to fix it; the button does so.',
    ],
    cells: [
      {
        name: 'readBack',
        title: 'Features read back and uploaded again',
        run: 'Break it',
        fix: { name: 'readBackFixed', label: 'Fix it' },
      },
      {
        name: 'identity',
        title: 'An identity Lambda does not reconnect it',
        run: 'Break it',
        fix: { name: 'identityFixed', label: 'Fix it' },
      },
      {
        name: 'stopped',
        title: 'stopGradient on the wrong side',
        run: 'Break it',
        fix: { name: 'stoppedFixed', label: 'Fix it' },
      },
      {
        name: 'badIndex',
        title: 'An index that is not there',
        run: 'Break it',
        fix: { name: 'badIndexFixed', label: 'Fix it' },
      },
      {
        name: 'lostDevice',
        title: 'The device is lost',
        run: 'Break it',
        fix: { name: 'lostDeviceFixed', label: 'Fix it' },
      },
    ],
  },
  {
    id: 'gathers',
    title: 'Three gathers',
    words: [
      'Rows of a table by their numbers: checked on the GPU, unchecked, and through the host, which makes a fresh tensor. What each keeps, and what each costs here.',
    ],
    cells: [{ name: 'gathers', title: 'Validated, unchecked, fresh', run: 'Measure' }],
  },
];

export const allCells = (): CellPlan[] => chapters.flatMap(({ cells }) => [...cells]);
