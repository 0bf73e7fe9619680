// A small GPT, character by character: it trains on your text, and writes as
// it learns. Training sees all positions at once, by fused attention behind a
// causal mask. Writing takes one character at a time, and keeps the keys and
// values of those before it.
import {
  add,
  categorical,
  compile,
  dotProductAttention,
  gather,
  gelu,
  GradientTape,
  init,
  layerNorm,
  lessEqual,
  matMul,
  mul,
  ones,
  range,
  randomNormal,
  reshape,
  type Tensor,
  tensor,
  tensorScatterUpdate,
  tidy,
  type Variable,
  variable,
  zeros,
} from 'retrograd';
import { losses, optimizers } from 'retrograd/keras';
import { curves, onEnd, sliders, status, text, textField } from 'playground';

const { adapter } = await init();
const modest = adapter.kind === 'software';

const settings = sliders(
  {
    steps: { label: 'steps', value: modest ? 200 : 1500, min: 1, max: 5000, step: 1 },
    temperature: { label: 'temperature', value: 0.6, min: 0.1, max: 1.5, step: 0.1 },
    length: { label: 'letters seen', value: modest ? 32 : 64, min: 16, max: 256, step: 16 },
    width: { label: 'width', value: modest ? 32 : 64, min: 16, max: 256, step: 16 },
    depth: { label: 'blocks', value: 2, min: 1, max: 6, step: 1 },
  },
  (name) => {
    if (['length', 'width', 'depth'].includes(name)) void train();
  },
);
const field = textField(
  {
    label: 'The text to learn. Paste your own: a longer one is learned better.',
    value: `The owl and the pussycat went to sea
In a beautiful pea-green boat,
They took some honey, and plenty of money,
Wrapped up in a five-pound note.
`,
  },
  () => train(),
);
const said = status('');
const written = text('', 'library');
const plot = curves([]);

const [heads, batch] = [4, modest ? 8 : 32];

/** All weights of a model, and the list of them. */
function weightsFor(letters: number) {
  const { length, width, depth } = settings;
  const all: Variable[] = [];
  const kept = (made: Tensor) => all[all.push(variable(made)) - 1] as Variable;
  const matrix = (rows: number, columns: number, stddev = 1 / Math.sqrt(rows)) =>
    kept(randomNormal([rows, columns], { stddev, seed: all.length }));
  const gain = () => kept(ones([width]));
  const weights = {
    tokens: matrix(letters, width, 0.1),
    places: matrix(length, width, 0.1),
    blocks: Array.from({ length: depth }, () => ({
      gain1: gain(),
      qkv: [matrix(width, width), matrix(width, width), matrix(width, width)],
      out: matrix(width, width),
      gain2: gain(),
      up: matrix(width, 4 * width),
      down: matrix(4 * width, width),
    })),
    gain: gain(),
    head: matrix(width, letters),
  };
  return { weights, all };
}

type Weights = ReturnType<typeof weightsFor>['weights'];

/** Keys and values of a block, for attention: [batch, length, heads, size]. */
type Attend = (q: Tensor, k: Tensor, v: Tensor, block: number) => Tensor;

/** Logits [batch, steps, letters] of ids at their places, whichever way `attend` finds the keys. */
function logitsOf(weights: Weights, ids: Tensor, places: Tensor, attend: Attend): Tensor {
  const [, width = 1] = weights.tokens.shape;
  const headSize = width / heads;
  const [rows = 1, steps = 1] = ids.shape;
  let x = add(gather(weights.tokens, ids), gather(weights.places, places));
  weights.blocks.forEach(({ gain1, qkv, out, gain2, up, down }, i) => {
    const normal = layerNorm(x, gain1, null);
    const [q, k, v] = qkv.map((matrix) =>
      reshape(matMul(normal, matrix), { shape: [rows, steps, heads, headSize] }),
    ) as [Tensor, Tensor, Tensor];
    const attended = reshape(attend(q, k, v, i), { shape: [rows, steps, width] });
    x = add(x, matMul(attended, out));
    x = add(x, matMul(gelu(matMul(layerNorm(x, gain2, null), up)), down));
  });
  return matMul(layerNorm(x, weights.gain, null), weights.head);
}

/** Writes letter by letter, with the keys and values of the letters before in a cache. */
function writer(weights: Weights) {
  const [length = 1, width = 1] = weights.places.shape;
  const headSize = width / heads;
  const caches = weights.blocks.map(() =>
    [0, 1].map(() => variable(zeros([length, heads, headSize]), { trainable: false })),
  ) as [Variable, Variable][];
  const step = compile((id: Tensor, place: Tensor, sharpness: Tensor) => {
    const seen = lessEqual(range(0, length, 1, { dtype: 'int32' }), place);
    const mask = reshape(seen, { shape: [1, 1, 1, length] });
    const attend: Attend = (q, k, v, i) => {
      const cached = (caches[i] as [Variable, Variable]).map((cache, j) => {
        const entry = reshape(j === 0 ? k : v, { shape: [1, heads, headSize] });
        cache.assign(tensorScatterUpdate(cache, reshape(place, { shape: [1, 1] }), entry));
        return reshape(cache, { shape: [1, length, heads, headSize] });
      }) as [Tensor, Tensor];
      return dotProductAttention(q, ...cached, { mask });
    };
    const logits = logitsOf(weights, reshape(id, { shape: [1, 1] }), place, attend);
    return reshape(categorical(mul(logits, sharpness), { numSamples: 1 }), { shape: [1] });
  });
  return async (prompt: readonly number[], count: number): Promise<number[]> => {
    const ids = [...prompt];
    const sharpness = tensor(1 / settings.temperature);
    for (let place = 0; place < Math.min(count, length) - 1; place++) {
      const next = step(
        tensor([ids[place] ?? 0], { dtype: 'int32' }),
        tensor([place], { dtype: 'int32' }),
        sharpness,
      );
      if (place + 1 >= ids.length) ids.push(await next.item());
      next.dispose();
    }
    return ids;
  };
}

let trainings = 0;
onEnd(() => trainings++);

async function train() {
  const mine = ++trainings;
  const { length } = settings;
  const letters = [...new Set(field.value)].sort();
  const ids = Array.from(field.value.padEnd(length + 1), (letter) =>
    Math.max(0, letters.indexOf(letter)),
  );
  const { weights, all } = weightsFor(letters.length);
  const optimizer = optimizers.adamW({ learningRate: 0.003, weightDecay: 0.01 });
  const error = losses.sparseCategoricalCrossentropy({ fromLogits: true });
  const places = range(0, length, 1, { dtype: 'int32' });
  const causal: Attend = (q, k, v) => dotProductAttention(q, k, v, { isCausal: true });
  const step = compile((x: Tensor, y: Tensor) => {
    using tape = new GradientTape();
    const loss = error.call(y, logitsOf(weights, x, places, causal));
    optimizer.apply(tape.gradient(loss, all), all);
    return loss;
  });
  const write = writer(weights);
  const lines: string[] = [];
  const show = async (steps: number) => {
    const wrote = (await write(ids.slice(0, 8), length)).map((id) => letters[id]).join('');
    lines.push(`Step ${String(steps).padStart(4)}: ${wrote.replaceAll('\n', ' / ')}`);
    written.update(lines.slice(-8).join('\n'), 'library');
  };

  const points: [number, number][] = [];
  for (let i = 1; i <= settings.steps && mine === trainings; i++) {
    const starts = Array.from({ length: batch }, () =>
      Math.floor(Math.random() * (ids.length - length)),
    );
    const from = (shift: number) => starts.map((at) => ids.slice(at + shift, at + shift + length));
    const rows = (shift: number) => tensor(from(shift), { dtype: 'int32' });
    const loss = tidy(() => step(rows(0), rows(1)));
    if (i === 1 || i % 10 === 0 || i === settings.steps) {
      points.push([i, await loss.item()]);
      plot.update([{ name: 'cross-entropy of a letter', points }]);
      said.update(`Step ${i} of ${settings.steps}`);
    }
    if (i === 1 || i % 50 === 0 || i === settings.steps) await show(i);
    loss.dispose();
  }
}

await train();
