/** @file TokenAndPositionEmbedding: the sum of a vector for each token and one for its position. */
import type { OpenShape } from '../../core/shape.ts';
import {
  type CallOptions,
  factoryOf,
  flag,
  integer,
  layer,
  type LayerOptions,
} from '../../keras/layers/base/declare.ts';
import { type InitializerLike, initializerOf } from '../../keras/initializers/index.ts';
import { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { configOf } from '../../keras/namedObjects.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { ensureBuilt } from './building.ts';
import { PositionEmbedding } from './positionEmbedding.ts';

export interface TokenAndPositionEmbeddingOptions extends LayerOptions {
  /** The number of tokens: ids are integers in [0, vocabularySize). */
  vocabularySize: number;
  /** The length of the longest sequence. */
  sequenceLength: number;
  /** The size of a vector. */
  embeddingDim: number;
  /** Whether logits are products with the vectors of tokens. Default true. */
  tieWeights?: boolean;
  /** Initial values of all vectors. Default 'uniform'. */
  initializer?: InitializerLike;
  /** Whether id 0 is padding: the output mask is false there. Default false. */
  maskZero?: boolean;
}

export class TokenAndPositionEmbedding extends /* @__PURE__ */ layer<TokenAndPositionEmbeddingOptions>(
  'TokenAndPositionEmbedding',
  () => ({
    vocabularySize: integer(),
    sequenceLength: integer(),
    embeddingDim: integer(),
    tieWeights: flag(true),
    initializer: { read: (given = 'uniform') => initializerOf(given as InitializerLike), write: configOf },
    maskZero: flag(false),
  }),
) {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'positions'];
  readonly tokenEmbedding: ReversibleEmbedding;
  readonly positionEmbedding: PositionEmbedding;

  constructor(options: TokenAndPositionEmbeddingOptions) {
    super(options);
    const { vocabularySize, sequenceLength, embeddingDim, tieWeights, initializer, maskZero, dtype } = this;
    this.tokenEmbedding = new ReversibleEmbedding({
      name: 'token_embedding',
      inputDim: vocabularySize,
      outputDim: embeddingDim,
      tieWeights,
      embeddingsInitializer: initializer,
      maskZero,
      dtype,
    });
    this.positionEmbedding = new PositionEmbedding({
      name: 'position_embedding',
      sequenceLength,
      initializer,
      dtype,
    });
  }

  override build(inputShape: OpenShape): void {
    ensureBuilt(this.tokenEmbedding, inputShape);
    this.positionEmbedding.ensureBuilt([...inputShape, this.embeddingDim]);
  }

  override call(ids: Tensor, { positions = null }: CallOptions & { positions?: Tensor | null }): Tensor {
    const tokens = this.tokenEmbedding.apply(ids);
    return add(tokens, this.positionEmbedding.apply(tokens, { positions }));
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return [...inputShape, this.embeddingDim];
  }
}

/**
 * The sum of a vector for each token and one for its position. Called with `positions`, int32 [batch, length], tokens are there;
 * otherwise a sequence begins at 0. Shapes: ids [batch, length] → [batch, length, embeddingDim]. Weights:
 * token_embedding/embeddings [vocabularySize, embeddingDim] and position_embedding/embeddings [sequenceLength, embeddingDim].
 * Errors: those of `reversibleEmbedding` and `positionEmbedding`.
 */
export const tokenAndPositionEmbedding = /* @__PURE__ */ factoryOf(TokenAndPositionEmbedding);
