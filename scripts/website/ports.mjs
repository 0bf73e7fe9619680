// @ts-check
/** @file Pages of programs next to the same programs in Keras: both sources side by side, and the one that runs in the playground. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, SetupError } from '../setup.mjs';
import { fillImports } from './fillImports.mjs';
import { pageHtml } from './layout.mjs';
import { highlight } from './markdown.mjs';
import { playgroundLink } from './playground-link.mjs';
import { escapeHtml } from './types.mjs';

const FOLDER = path.join(ROOT, 'examples', 'ports');
/** Modules that several programs share. */
const SHARED = ['cart_pole', 'formula'];
/** Number of characters per line of an import. */
const WIDTH = 88;

/** Titles in the order of the list, and what visitors search for neededs the words of a program. @type {Record<string, string[]>} title, keys */
const PORTS = {
  grad_cam: ['Grad-CAM', 'saliency map explain prediction heatmap class activation interpretability'],
  vision_transformer: ['Vision transformer', 'ViT image classification patches'],
  mlp_mixer: ['MLP-Mixer'],
  super_resolution: ['Super-resolution', 'upscale sub-pixel pixel shuffle perceptual loss ESPCN'],
  captcha_ctc: ['OCR of captchas with CTC', 'read text in images handwriting recognition ctcLoss'],
  image_captioning: ['Image captions', 'caption decoder causal mask'],
  siamese_triplets: ['Siamese network with triplets', 'similarity metric learning triplet loss'],
  conditional_gan: ['Conditional GAN', 'cGAN generator discriminator'],
  variational_autoencoder: ['Variational autoencoder', 'VAE latent sampling'],
  vq_vae: ['VQ-VAE and PixelCNN', 'vector quantized codebook'],
  ddim: ['Diffusion model (DDIM)', 'denoising diffusion U-Net unet image generation EMA'],
  distillation: ['Knowledge distillation', 'teacher student'],
  text_classification: ['Texts from raw strings', 'TextVectorization sentiment vocabulary'],
  seq2seq: ['Sequence to sequence', 'encoder decoder translation seq2seq inference model LSTM states'],
  date_conversion: ['Dates with attention', 'translation attention LSTM'],
  timeseries_transformer: ['Transformer for time series', 'timeseries classification warmup'],
  graph_network: ['Graph network', 'GNN message passing segment sum nodes edges'],
  feature_selection: ['Gated residual networks', 'GRN variable selection structured data tabular categories'],
  actor_critic: ['Actor-critic', 'reinforcement learning cart pole policy gradient'],
  ppo: ['Proximal policy optimization', 'PPO reinforcement learning cart pole policy gradient'],
};

/** @typedef {import('./examples.mjs').Example & { text: string, keys: string }} Port */

/** The programs, as examples. Errors: SetupError if one has no title. @returns {Port[]} */
export function ports() {
  const known = Object.keys(PORTS);
  const missing = fs
    .readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.parse(file).name)
    .filter((name) => !known.includes(name) && !SHARED.includes(name));
  if (missing.length > 0)
    throw new SetupError(
      `A program of examples/ports needs a title in ${import.meta.url}. Missing: ${missing}.`,
    );
  return Object.entries(PORTS).map(([name, [title = '', keys = '']]) => {
    const text = read(`${name}.ts`);
    const about = /@file (.*?)\s*\*\//.exec(text)?.[1] ?? '';
    const words = about.startsWith(`${title}: `) ? capitalized(about.slice(title.length + 2)) : about;
    return { name, title, words, text, keys, href: `ports/${name}.html` };
  });
}

/** Writes the page of each program. @param {string} site @param {readonly Port[]} all */
export function writePorts(site, all) {
  fs.mkdirSync(path.join(site, 'ports'), { recursive: true });
  for (const [i, { name, title, words, text }] of all.entries()) {
    const next = all[i + 1];
    const onward = next
      ? `<p class="next"><a href="./${next.name}.html">Next: ${escapeHtml(next.title)}</a></p>`
      : '';
    const run = playgroundLink(wholeProgram(text), '../');
    const main = `<h1>${escapeHtml(title)}</h1>
<p class="lead">${escapeHtml(words)}</p>
<p>The same program in Retrograd and in Keras. Data, noise and first weights come from one formula, and both return the same curves, to a
relative difference of 1e-5. <a href="${run}">Run it in the playground</a>, or go back to <a href="../examples.html#${name}">all examples</a>.</p>
<div class="versions">
${version('Retrograd', `${name}.ts`, withoutAbout(fillImports(text, WIDTH)), 'ts')}
${version('Keras', `${name}.py`, read(`${name}.py`).replace(/^""".*?"""\n+/s, ''), 'py')}
</div>
${onward}`;
    const html = pageHtml({
      title: `${title} in Retrograd and Keras`,
      description: words,
      root: '../',
      section: 'Guide',
      main,
    });
    fs.writeFileSync(path.join(site, 'ports', `${name}.html`), html);
  }
}

const capitalized = (/** @type {string} */ text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** @param {string} file */
const read = (file) => fs.readFileSync(path.join(FOLDER, file), 'utf8');

/** A program without the docstring of its file, which the page shows as a sentence. @param {string} code */
const withoutAbout = (code) => code.replace(/^\/\*\*[\s\S]*?\*\/\n/, '');

/** @param {string} library @param {string} file @param {string} code @param {string} language */
const version = (library, file, code, language) =>
  `<figure class="code"><figcaption>${library}: ${file}</figcaption><pre tabindex="0"><code>${highlight(code.trim(), language)}</code></pre></figure>`;

const IMPORT = /^import \{([^}]*)\} from '([^']+)';\n/gm;

/**
 * One program of a file and the modules next to it that it imports, which runs and draws its losses.
 *
 * @param {string} text
 */
export function wholeProgram(text) {
  /** @type {Map<string, Set<string>>} names by module */
  const imported = new Map();
  /** @type {string[]} */
  const bodies = [];
  const include = (/** @type {string} */ code) => {
    /** @type {string[]} */
    const needed = [];
    const body = withoutAbout(code).replaceAll(IMPORT, (_, names, from) => {
      if (from.startsWith('./')) needed.push(read(from.slice(2)));
      else {
        const known = imported.get(from) ?? new Set();
        for (const name of names.split(',')) if (name.trim() !== '') known.add(name.trim());
        imported.set(from, known);
      }
      return '';
    });
    bodies.push(body.replaceAll(/^export /gm, '').trim());
    for (const other of needed) include(other);
  };
  include(text);
  const imports = [...imported].map(([from, names]) => {
    // One module may import only the type.
    const listed = [...names].filter(
      (name) => !name.startsWith('type ') || !names.has(name.replace('type ', '')),
    );
    return `import { ${listed.sort().join(', ')} } from '${from}';`;
  });
  const ending = `const rounded = (values: readonly number[]) => values.map((value) => value.toPrecision(4));
for (const [name, values] of Object.entries(await run())) {
  const points = values.map((value, i) => [i + 1, value] as const);
  if (/loss$/.test(name) && values.length > 1) curves([{ name, points }], { axis: 'value' });
  else text(\`\${name}: \${rounded(values.slice(0, 12)).join(', ')}\`);
}`;
  const all = [...imports, "import { curves, text } from 'playground';"].join('\n');
  return `${fillImports(all, 72)}\n\n${[...bodies, ending].join('\n\n')}\n`;
}
