/**
 * @file Points around a centre for each class: a classification that a small network learns in seconds.
 */
import { numbers } from './numbers.ts';

export interface Blobs {
  /** Features, row by row. */
  x: Float32Array<ArrayBuffer>;
  /** One-hot rows. */
  y: number[][];
  labels: number[];
}

export function blobs(sizes: { examples: number; features: number; classes: number; seed: number }): Blobs {
  const { examples, features, classes, seed } = sizes;
  const next = numbers(seed);
  const centres = Array.from({ length: classes }, () =>
    Array.from({ length: features }, () => 4 * next() - 2),
  );
  const labels = Array.from({ length: examples }, (_, i) => i % classes);
  const x = Float32Array.from({ length: examples * features }, (_, i) => {
    const centre = centres[labels[Math.floor(i / features)] as number] as number[];
    return (centre[i % features] as number) + next() - 0.5;
  });
  const y = labels.map((label) => Array.from({ length: classes }, (_, i) => Number(i === label)));
  return { x, y, labels };
}
