/** @file The modules of torchvision's networks, by the names of the layers in Keras's applications. */
import { FormatError } from '../../../core/errors.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';

/** Names of modules by names of layers. */
export type ModuleNames = ReadonlyMap<string, string>;

/** Returns the modules of `layers` if they belong to a network that torchvision has; null otherwise. */
export function torchvisionModules(op: string, layers: readonly AnyLayer[]): ModuleNames | null {
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  if (byName.has('block1_conv1')) return vggModules([...byName.keys()]);
  if (byName.has('expanded_conv_depthwise')) {
    requireConvention(op, byName.get('bn_Conv1'), { name: 'MobileNetV2', maker: 'mobileNetV2' });
    return mobileNetModules([...byName.keys()]);
  }
  // A DenseNet has conv1_bn, too, and a ResNetV2 has the other one.
  if (!byName.has('conv2_block1_2_bn') || !byName.has('conv1_bn')) return null;
  requireConvention(op, byName.get('conv1_bn'), { name: 'ResNet', maker: 'resNet50' });
  return resNetModules([...byName.keys()]);
}

/**
 * The indices in `features` count convolutions, activations and pooling layers; those in `classifier` also count activations
 * and dropout.
 */
function vggModules(names: readonly string[]): ModuleNames {
  const modules = new Map([
    ['fc1', 'classifier.0'],
    ['fc2', 'classifier.3'],
    ['predictions', 'classifier.6'],
  ]);
  const count = (block: number) => names.filter((name) => name.startsWith(`block${block}_conv`)).length;
  let index = 0;
  for (let block = 1; count(block) > 0; block++) {
    for (let i = 1; i <= count(block); i++, index += 2)
      modules.set(`block${block}_conv${i}`, `features.${index}`);
    index++;
  }
  return modules;
}

const mobileNetEnds: Readonly<Record<string, string>> = {
  Conv1: 'features.0.0',
  bn_Conv1: 'features.0.1',
  Conv_1: 'features.18.0',
  Conv_1_bn: 'features.18.1',
  predictions: 'classifier.1',
};

/** Layers of a block that widens, and of the first block, which doesn't. */
const widening: Readonly<Record<string, string>> = {
  expand: '0.0',
  expand_BN: '0.1',
  depthwise: '1.0',
  depthwise_BN: '1.1',
  project: '2',
  project_BN: '3',
};
const first: Readonly<Record<string, string>> = {
  depthwise: '0.0',
  depthwise_BN: '0.1',
  project: '1',
  project_BN: '2',
};

function mobileNetModules(names: readonly string[]): ModuleNames {
  const modules = new Map(Object.entries(mobileNetEnds));
  for (const name of names) {
    const [, block, part = ''] = /^(?:block_(\d+)|expanded_conv)_(.+)$/.exec(name) ?? [];
    const inside = (block === undefined ? first : widening)[part];
    if (inside !== undefined) modules.set(name, `features.${Number(block ?? 0) + 1}.conv.${inside}`);
  }
  return modules;
}

/** `conv2_block1_1_conv` is `layer1.0.conv1`; number 0 is the projection of the shortcut. */
function resNetModules(names: readonly string[]): ModuleNames {
  const modules = new Map([
    ['conv1_conv', 'conv1'],
    ['conv1_bn', 'bn1'],
    ['predictions', 'fc'],
  ]);
  for (const name of names) {
    const [, stack, block, number, kind] = /^conv(\d+)_block(\d+)_(\d+)_(conv|bn)$/.exec(name) ?? [];
    if (kind === undefined) continue;
    const inside = number === '0' ? `downsample.${kind === 'conv' ? 0 : 1}` : `${kind}${number}`;
    modules.set(name, `layer${Number(stack) - 1}.${Number(block) - 1}.${inside}`);
  }
  return modules;
}

/** Errors: FormatError for a network in Keras's convention, in which torchvision's weights would give different features. */
function requireConvention(
  op: string,
  normalization: AnyLayer | undefined,
  { name, maker }: { name: string; maker: string },
): void {
  const { epsilon } = (normalization?.getConfig() ?? {}) as { epsilon?: number };
  if (epsilon === 1e-5) return;
  throw new FormatError({
    op,
    rule: `torchvision's ${name} has strided windows in other places and normalizes with an epsilon of 1e-5.`,
    received: `a network in Keras's form, with an epsilon of ${epsilon}`,
    hint: `make it with ${maker}({ convention: 'torchvision' }).`,
  });
}
