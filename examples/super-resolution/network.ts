/** @file The network that makes pictures twice as large: ESRGAN Slim, as its package has it for TF.js. */
import { clip, type Tensor, tidy } from 'retrograd';
import { loadModel } from 'retrograd/io';
import type { Model } from 'retrograd/keras';

/** From pictures [batch, height, width, 3] to those of twice the size. */
export type Network = Model<Tensor, Tensor>;

/** Its files: the layers, and the weights. */
const names = ['model.json', 'group1-shard1of1.bin'];

/** Loads the network from the folder at `address`. */
export async function openNetwork(address: URL): Promise<Network> {
  const fetched = names.map(async (name) => {
    const response = await fetch(new URL(name, address));
    if (!response.ok) throw new Error(`The network is incomplete: ${name} has status ${response.status}.`);
    return new File([await response.blob()], name);
  });
  return (await loadModel(await Promise.all(fetched))) as Network;
}

/** The picture twice as large, with values from 0 to 1. */
export function enlarged(network: Network, picture: Tensor): Tensor {
  return tidy(() => clip(network.apply(picture), { min: 0, max: 1 }));
}
