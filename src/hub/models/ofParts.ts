/** @file Creates models of two parts that have weights of their own. */

interface Part {
  dispose(): void;
}

/** Creates both parts, then the model. If one of them fails, nothing is left of the others. */
export function ofParts<A extends Part, B extends Part, M>(
  first: () => A,
  second: () => B,
  model: (first: A, second: B) => M,
): M {
  const made: Part[] = [];
  const keep = <P extends Part>(part: P): P => {
    made.push(part);
    return part;
  };
  try {
    return model(keep(first()), keep(second()));
  } catch (error) {
    for (const part of made) part.dispose();
    throw error;
  }
}
