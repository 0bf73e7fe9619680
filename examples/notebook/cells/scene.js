import {
  addN,
  GradientTape,
  lineage,
  mean,
  squaredDifference,
  variable,
} from 'retrograd';
import { graphOf } from 'graph';
import { noise } from 'pictures';
import { vggFeatures } from './features.js';
import { target } from './picture.js';

/**
 * A small scene to break: noise `picture`, what VGG19 sees in it, and what it
 * should see. `body({ picture, seen, wanted })` returns the loss.
 */
export async function scene(page, body) {
  const wantedPicture = await target(16);
  const features = await vggFeatures(['block1_conv2', 'block2_conv1'], 1);
  const wanted = features.apply(wantedPicture);
  wanted.forEach((feature) => {
    feature.name = 'wanted';
  });
  const picture = variable(noise(16, 1), { name: 'picture' });
  const tape = new GradientTape({ persistent: true });
  try {
    const seen = features.apply(picture);
    const loss = await body({ picture, seen, wanted });
    await report(page, tape, { loss, picture, seen });
  } finally {
    tape.dispose();
    for (const held of [features, picture]) held.dispose();
  }
}

/** The mean squared difference of the features, layer by layer. */
export const distance = (seen, wanted) =>
  addN(seen.map((feature, i) => mean(squaredDifference(feature, wanted[i]))));

/** The gradient, the library's explanation of it, and its picture. */
async function report(page, tape, { loss, picture, seen }) {
  const explanation = tape.explain(loss, picture);
  const gradient = tape.gradient(loss, picture);
  page.text(
    gradient
      ? `The gradient is there: ${gradient.dtype}[${gradient.shape.join(', ')}].`
      : 'The gradient is null.',
    gradient ? 'good' : 'bad',
  );
  page.text(explanation.text, 'library');
  const disconnectedOutside =
    explanation.disconnectedAt && !reaches(lineage(loss), picture.name);
  page.graph(
    graphOf({
      target: loss,
      source: picture,
      explanation,
      before: disconnectedOutside ? seen[1] : undefined,
    }),
  );
}

const reaches = ({ nodes }, name) =>
  nodes.some((node) => node.kind === 'leaf' && node.name === name);
