/** @file The gallery: programs of examples/playground in order, grouped by topic. */

export interface Program {
  name: string;
  title: string;
  words: string;
}

export const programs: readonly Program[] = [
  {
    name: 'line',
    title: 'A line through points',
    words: 'The shortest training program: two numbers, a tape, and a falling loss.',
  },
  { name: 'spirals', title: 'Two spirals', words: 'A small network bends its boundary around the points.' },
  {
    name: 'field',
    title: 'A picture in a network',
    words: 'A neural field learns the colour of each position.',
  },
  { name: 'digits', title: 'Draw a digit', words: 'A CNN trains in the page, then reads what you draw.' },
  { name: 'gpt', title: 'A small GPT', words: 'It trains on your text, and writes while it learns.' },
  {
    name: 'style',
    title: 'Style transfer',
    words: 'Your picture in the style of another, with your own VGG19 file or random weights.',
  },
  { name: 'kernel', title: 'Write a kernel', words: 'A few lines of WGSL draw a fractal.' },
  {
    name: 'inspect',
    title: 'Why doesn’t it learn?',
    words: 'The report of one training step explains it in words.',
  },
  {
    name: 'null-gradient',
    title: 'Why is it null?',
    words: 'A gradient is disconnected, and the library says where.',
  },
];
