/** @file A graph network on nodes and edges: messages along edges are summed, averaged or maximized by segment. */
import { init, type Tensor } from 'retrograd';
import {
  callbacks,
  Layer,
  layers,
  losses,
  metrics,
  Model,
  ops,
  optimizers,
  sequential,
} from 'retrograd/keras';
import { type Curves, integers, setKernels, uniform } from './formula.ts';

const [nodes, features, classes, edgeCount] = [12, 5, 3, 30];
const units = [6, 6];

type Graph = [representations: Tensor, edges: Tensor, weights: Tensor];

const feedForward = () =>
  sequential(units.flatMap((unit) => [layers.batchNormalization(), layers.dense(unit, 'gelu')]));

class GraphConvolution extends Layer<Graph, Tensor> {
  readonly prepare = feedForward();
  readonly update: Layer;

  constructor(
    readonly aggregation: 'mean' | 'sum' | 'max',
    readonly combination: 'concat' | 'gru' | 'add',
    readonly normalize = false,
  ) {
    super();
    const [, unit] = units as [number, number];
    this.update = combination === 'gru' ? layers.gru({ units: unit, returnSequences: true }) : feedForward();
  }

  override call([representations, edges, weights]: Graph): Tensor {
    const [nodeIndices, neighbours] = ops.unstack(edges) as [Tensor, Tensor];
    const prepared = this.prepare.apply(ops.take(representations, neighbours, { axis: 0 }));
    const messages = ops.multiply(prepared, ops.expandDims(weights, { axis: -1 }));
    const gathered = this.aggregate(messages, nodeIndices);
    const embeddings = this.combine(representations, gathered);
    return this.normalize ? ops.normalize(embeddings, { axis: -1, order: 2 }) : embeddings;
  }

  aggregate(messages: Tensor, nodeIndices: Tensor): Tensor {
    const segments = { numSegments: nodes };
    const ones = ops.ones([edgeCount]);
    const counts = ops.expandDims(ops.segmentSum(ones, nodeIndices, segments), { axis: 1 });
    if (this.aggregation === 'max') {
      const largest = ops.segmentMax(messages, nodeIndices, segments);
      return ops.where(ops.equal(counts, 0), 0, largest);
    }
    const sums = ops.segmentSum(messages, nodeIndices, segments);
    return this.aggregation === 'sum' ? sums : ops.divide(sums, ops.maximum(counts, 1));
  }

  combine(representations: Tensor, gathered: Tensor): Tensor {
    const { combination, update } = this;
    if (combination === 'gru')
      return ops.sum(update.apply(ops.stack([representations, gathered], { axis: 1 })), { axis: 1 });
    if (combination === 'concat')
      return update.apply(ops.concatenate([representations, gathered], { axis: 1 }));
    return update.apply(ops.add(representations, gathered));
  }
}

class NodeClassifier extends Model {
  readonly edgeWeights: Tensor;
  readonly preprocess = feedForward();
  readonly conv1 = new GraphConvolution('mean', 'concat');
  readonly conv2 = new GraphConvolution('sum', 'gru', true);
  readonly conv3 = new GraphConvolution('max', 'add');
  readonly postprocess = feedForward();
  readonly logits = layers.dense(classes);

  constructor(
    readonly features: Tensor,
    readonly edges: Tensor,
    weights: Tensor,
  ) {
    super();
    this.edgeWeights = ops.divide(weights, ops.sum(weights));
  }

  override call(nodeIndices: Tensor): Tensor {
    let x = this.preprocess.apply(this.features);
    for (const conv of [this.conv1, this.conv2, this.conv3])
      x = ops.add(conv.apply([x, this.edges, this.edgeWeights]), x);
    x = this.postprocess.apply(x);
    return this.logits.apply(ops.take(x, ops.squeeze(nodeIndices, { axis: -1 }), { axis: 0 }));
  }
}

export async function run(): Promise<Curves> {
  await init();
  const edges = integers([2, edgeCount], 2, nodes);
  const labels = integers([nodes], 4, classes);
  const net = new NodeClassifier(
    uniform([nodes, features], 1, -1, 1),
    edges,
    uniform([edgeCount], 3, 0.5, 1.5),
  );
  const indices = ops.reshape(ops.arange(nodes, { dtype: 'int32' }), [-1, 1]);
  net.apply(ops.slice(indices, { begin: [0], size: [2] }));
  setKernels(net);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.01 }),
    loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
    metrics: [metrics.sparseCategoricalAccuracy({ name: 'acc' })],
  });
  const last = (x: Tensor) => ops.slice(x, { begin: [8], size: [4] });
  const { history } = await net.fit(indices, labels, {
    epochs: 4,
    batchSize: 4,
    shuffle: false,
    verbose: 0,
    validationData: [last(indices), last(labels)],
    callbacks: [callbacks.earlyStopping({ monitor: 'val_acc', patience: 50, restoreBestWeights: true })],
  });
  const probabilities = ops.softmax(net.apply(ops.slice(indices, { begin: [0], size: [4] })));
  return {
    loss: history.loss ?? [],
    accuracy: history.acc ?? [],
    validation: history.val_loss ?? [],
    probabilities: [...(await probabilities.data())],
  };
}
