/** @file The gallery: programs of examples/playground by topic, in the order in which they are shown. */

export interface Program {
  name: string;
  title: string;
  words: string;
  topic: string;
}

/** The programs of each topic. */
const topics: Readonly<Record<string, readonly Omit<Program, 'topic'>[]>> = {
  'First steps': [
    {
      name: 'line',
      title: 'A line through points',
      words: 'The shortest training program: two numbers, a tape, and a falling loss.',
    },
    {
      name: 'tensors',
      title: 'Tensors',
      words: 'Broadcasting, sums and matrix products, and what they print.',
    },
    {
      name: 'shape-error',
      title: 'What an error says',
      words: 'Shapes that don’t fit: the rule, what was received, and a hint.',
    },
    { name: 'memory', title: 'Who frees a tensor?', words: 'Scopes, dispose, and a table of what is left.' },
  ],
  Gradients: [
    {
      name: 'null-gradient',
      title: 'Why is it null?',
      words: 'A gradient is disconnected, and the library says where.',
    },
    {
      name: 'gather-index',
      title: 'An index out of range',
      words: 'Checked on the GPU, and named with its layer and sample.',
    },
    {
      name: 'derivatives',
      title: 'Derivatives of any order',
      words: 'The derivative of a derivative of a derivative.',
    },
    {
      name: 'each-example',
      title: 'A gradient for each example',
      words: 'vmap finds the example with the wrong label.',
    },
  ],
  Training: [
    { name: 'spirals', title: 'Two spirals', words: 'A small network bends its boundary around the points.' },
    { name: 'digits', title: 'Draw a digit', words: 'A CNN trains in the page, then reads what you draw.' },
    {
      name: 'text',
      title: 'Is the review good?',
      words: 'A text classifier, from words to a verdict on yours.',
    },
    {
      name: 'forecast',
      title: 'The next value of a wave',
      words: 'An LSTM reads ten values, and says the eleventh.',
    },
    {
      name: 'early-stopping',
      title: 'Stop in time',
      words: 'The validation loss says when, and the best weights come back.',
    },
    { name: 'learning-rates', title: 'Four learning rates', words: 'One is too small, one too large.' },
  ],
  Generating: [
    { name: 'gpt', title: 'A small GPT', words: 'It trains on your text, and writes while it learns.' },
    {
      name: 'style',
      title: 'Style transfer',
      words: 'Your picture in the style of another, with your own VGG19 file or random weights.',
    },
    {
      name: 'field',
      title: 'A picture in a network',
      words: 'A neural field learns the colour of each position.',
    },
    {
      name: 'bars',
      title: 'Pictures in four numbers',
      words: 'An autoencoder squeezes bars, and draws them again.',
    },
  ],
  Adapting: [
    {
      name: 'adapter',
      title: 'A low-rank adapter',
      words: 'A trained layer stays, and a small addition learns a new task.',
    },
    {
      name: 'frozen',
      title: 'Frozen features',
      words: 'What was learned stays, and a new head learns on top of it.',
    },
    { name: 'save-and-load', title: 'Save and load', words: 'A .keras file and back; Keras opens it, too.' },
  ],
  'Under the hood': [
    { name: 'kernel', title: 'Write a kernel', words: 'A few lines of WGSL draw a fractal.' },
    { name: 'compiled', title: 'A compiled step', words: 'The same step, op by op and replayed.' },
    {
      name: 'inspect',
      title: 'Why doesn’t it learn?',
      words: 'The report of one training step explains it in words.',
    },
    { name: 'nan', title: 'Where is the NaN from?', words: 'The first op that made one is named.' },
  ],
};

export const programs: readonly Program[] = Object.entries(topics).flatMap(([topic, own]) =>
  own.map((program) => ({ ...program, topic })),
);
