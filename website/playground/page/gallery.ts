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
    words: 'The shortest training: two numbers, a tape, a loss that falls.',
  },
  { name: 'spirals', title: 'Two spirals', words: 'A small network bends its boundary around the points.' },
  {
    name: 'field',
    title: 'A picture in a network',
    words: 'A neural field learns the colour of each place.',
  },
  { name: 'digits', title: 'Draw a digit', words: 'A CNN trains in the page, then reads what you draw.' },
  { name: 'gpt', title: 'A small GPT', words: 'It trains on your text, and writes as it learns.' },
  {
    name: 'style',
    title: 'Style transfer',
    words: 'Your picture in the manner of another, with your file of VGG19, or with random weights.',
  },
  { name: 'kernel', title: 'A kernel of your own', words: 'A few lines of WGSL draw a fractal.' },
  {
    name: 'inspect',
    title: 'Why doesn’t it learn?',
    words: 'The report of one step of training, with the answer in words.',
  },
  {
    name: 'null-gradient',
    title: 'Why is it null?',
    words: 'A gradient that ends, and the library’s answer where.',
  },
];
