/**
 * @file VGG as a feature extractor: VGG19 with random weights, or VGG16 or VGG19 with those of a file. Used by the demo and
 * by the notebook.
 */
import { div, FormatError, mul, sub, UnsafeModelError } from 'retrograd';
import { applications, input, type KerasTensor, model } from 'retrograd/keras';
import type { LoadWeightsOptions, WeightNaming } from 'retrograd/io';

export type VggName = 'VGG16' | 'VGG19';
type Network = ReturnType<typeof applications.vgg19>;
/** A model from pictures to the outputs of layers. */
export type Features = ReturnType<Vgg['features']>;

/** Convolutions in each block of VGG19. */
const convolutions = [2, 2, 4, 4, 4];

/** Mean colour of ImageNet's pictures, from 0 to 1, with which torchvision's networks were trained. */
const torchMean = [0.485, 0.456, 0.406];
const torchDeviation = [0.229, 0.224, 0.225];

export class Vgg implements Disposable {
  constructor(
    readonly name: VggName,
    readonly network: Network,
    /** A description of the source of the weights. */
    readonly weights: string,
    private readonly naming: WeightNaming = 'keras',
    /** Number of tensors in the file that are its weights. */
    readonly tensors = 0,
  ) {
    // Only pictures should change.
    network.trainable = false;
  }

  has(layer: string): boolean {
    return this.network.layers.some(({ name }) => name === layer);
  }

  /**
   * A model from pictures [batch, height, width, 3] of values from 0 to 1 to the outputs of `layers`. It shares this network's
   * weights. Errors: FormatError for a layer that the network doesn't have.
   */
  features(layers: readonly string[]) {
    const picture = input({ shape: [null, null, 3], name: 'picture' });
    const outputs = new Map<string, KerasTensor>();
    let x = this.#prepared(picture);
    for (const layer of this.network.layers.slice(1)) {
      x = layer.apply(x) as KerasTensor;
      outputs.set(layer.name, x);
      if (layers.every((name) => outputs.has(name))) break;
    }
    return model({
      inputs: picture,
      outputs: layers.map((name) => outputs.get(name) ?? this.#reject(name)),
      name: this.name.toLowerCase(),
    });
  }

  /** Preprocesses pictures as in the network's training. */
  #prepared(picture: KerasTensor): KerasTensor {
    if (this.naming === 'keras') return applications.vgg19.preprocessInput(mul(picture, 255)) as KerasTensor;
    return div(sub(picture, torchMean), torchDeviation) as KerasTensor;
  }

  #reject(layer: string): never {
    throw new FormatError({
      op: this.weights,
      rule: `the layers to compare are layers of ${this.name}, whose weights the file has.`,
      received: `'${layer}'`,
      hint: `choose from ${this.network.layers
        .slice(1)
        .map(({ name }) => name)
        .join(', ')}.`,
    });
  }

  [Symbol.dispose](): void {
    this.network.dispose();
  }
}

/**
 * VGG19 with He-initialized random weights (He et al., Delving deep into rectifiers, ICCV 2015). Random features are
 * sufficient for a perceptual loss: He, Wang and Hopcroft, A Powerful Generative Model Using Random Weights for the Deep
 * Image Representation, NIPS 2016, reconstruct pictures from the features of such a VGG.
 */
export function randomVgg(seed: number): Vgg {
  const network = applications.vgg19({ includeTop: false, weights: null, seed });
  return new Vgg('VGG19', network, `random weights (seed ${seed})`);
}

/** Options of `loadVgg`. */
export interface LoadVggOptions extends Pick<LoadWeightsOptions, 'onProgress' | 'signal'> {
  /** Whether a file may contain only the first layers. Default false. */
  partial?: boolean;
}

/**
 * The network whose weights a file has, with or without its top: Keras's `.h5`, `.weights.h5` or `.keras`, torchvision's
 * `.pth`, or safetensors. The file's tensors determine which network it is.
 * Errors: FormatError for a file that fits neither, or is damaged; UnsafeModelError for one that contains code.
 */
export async function loadVgg(
  file: File,
  { partial = false, ...options }: LoadVggOptions = {},
): Promise<Vgg> {
  const mismatches: Mismatch[] = [];
  for (const name of ['VGG19', 'VGG16'] as const) {
    const found = await tryNetwork(file, name, options);
    if (found instanceof Vgg) return found;
    mismatches.push(found);
  }
  const found = partial ? await loadFirstLayers(file, options) : null;
  if (found) return found;
  throw new FormatError({
    op: file.name,
    rule: 'the file must have the weights of VGG16 or VGG19, as Keras or torchvision name them.',
    received: mismatches
      .map(({ name, error }) => `${name}: ${error.rule} Received: ${error.received}.`)
      .join(' '),
    hint: 'pass a file such as vgg19_weights_tf_dim_ordering_tf_kernels_notop.h5, or vgg19-dcbb9e9d.pth.',
    cause: mismatches[0]?.error,
  });
}

/** Why a file doesn't fit a network. */
interface Mismatch {
  readonly name: VggName;
  readonly error: FormatError;
}

type Progress = Omit<LoadVggOptions, 'partial'>;

/** The network with a file's weights, up to layer `until`. Errors: those that aren't about the network, such as damage. */
async function tryNetwork(
  file: File,
  name: VggName,
  options: Progress,
  until: string | null = null,
): Promise<Vgg | Mismatch> {
  const make = name === 'VGG19' ? applications.vgg19 : applications.vgg16;
  const whole = make({ includeTop: false, weights: null, kernelInitializer: 'zeros' });
  const network = until === null ? whole : upTo(whole, until);
  try {
    const { naming, loaded } = await network.loadWeights(file, {
      ...options,
      file: file.name,
      extra: 'ignore',
    });
    const trainedIn = naming === 'pytorch' ? 'torchvision' : 'Keras';
    return new Vgg(name, network, `weights of ${trainedIn} from ${file.name}`, naming, loaded.length);
  } catch (error) {
    whole.dispose();
    const isMismatch = error instanceof FormatError && !(error instanceof UnsafeModelError);
    if (!isMismatch || !error.op?.startsWith('loadWeights ')) throw error;
    return { name, error };
  }
}

function upTo(whole: Network, layer: string): Network {
  return model({
    inputs: whole.inputs[0] as KerasTensor,
    outputs: whole.getLayer(layer).output as KerasTensor,
  });
}

/** VGG19 as far as a file has its weights; null if it lacks the first. */
async function loadFirstLayers(file: File, options: Progress): Promise<Vgg | null> {
  let deepest: Vgg | null = null;
  for (const [block, count] of convolutions.entries()) {
    for (let i = 1; i <= count; i++) {
      const found = await tryNetwork(file, 'VGG19', options, `block${block + 1}_conv${i}`);
      if (!(found instanceof Vgg)) return deepest;
      deepest?.network.dispose();
      deepest = found;
    }
  }
  return deepest;
}
