/** @file The notebook from top to bottom: its chapters, their words and their cells. */

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
  /** A cell that only others use: its code is folded. */
  support?: boolean;
  /** The label of the button that runs it. */
  run?: string;
  /** Another source for the same cell, one click away: what mends it. */
  mend?: { name: string; label: string };
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
      'The pixel loss asks how far each pixel is off. The perceptual loss shows both pictures to VGG19 and compares what its layers answer. Its weights may be random: what counts is that nearby filters look for edges, colours and textures.',
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
      'Press Start, and move the sliders while it runs. Weights and learning rate act on the next step; seed, size and picture begin anew.',
    ],
    cells: [
      { name: 'reconstruct', title: 'Reconstruction', opens: true },
      { name: 'descent', title: 'Descent', support: true },
      { name: 'trainer', title: 'The loop', support: true },
    ],
  },
];

export const allCells = (): CellPlan[] => chapters.flatMap(({ cells }) => [...cells]);
