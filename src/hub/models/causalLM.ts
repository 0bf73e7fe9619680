/** @file CausalLM: a transformer that continues texts. */
import { checked, layer } from '../../keras/layers/base/declare.ts';
import { lazyImport } from '../../core/lazyImport.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { GeneratedToken, GenerateOptions, Prompts } from '../generation/generateOptions.ts';
import type { TextCall, TextInputs } from './textBackbone.ts';
import { registered } from './registered.ts';
import { tokenList } from './tokenList.ts';
import { textBackboneKind, TextModel, type TextModelOptions } from './textModel.ts';

/** Options of `CausalLM`. */
export interface CausalLMOptions extends TextModelOptions {
  /** Tokens that end a text. Default: none. */
  stopTokens?: readonly number[];
}

/**
 * A backbone that continues texts. Logits are products with the vectors of the tokens, or with a matrix of their own if these aren't
 * tied. Shapes: token ids, int32 [batch, length] → [batch, length, vocabularySize], where the logits at a position are of the token
 * that follows.
 * Errors: ValueError for anything but a backbone; those of the backbone.
 */
export class CausalLM extends /* @__PURE__ */ layer<CausalLMOptions, TextModel>(
  'CausalLM',
  () => ({ backbone: textBackboneKind, stopTokens: checked(tokenList, []) }),
  TextModel,
) {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'cache'];

  get task(): 'causalLM' {
    return 'causalLM';
  }

  constructor(options: CausalLMOptions) {
    super(options);
    this.buildLayers();
  }

  override call(inputs: TextInputs, { cache = null }: TextCall): Tensor {
    return this.logits(this.backbone.apply(inputs, { cache }));
  }

  /** The logits of tokens after features of the backbone: [..., hiddenDim] → [..., vocabularySize]. */
  logits(features: Tensor): Tensor {
    return this.backbone.tokenEmbedding.apply(features, { reverse: true });
  }

  /**
   * Continues prompts, lists of tokens of any lengths. Resolves to the new tokens of each, with the stop token if there is one.
   *
   *     const [continued] = await net.generate([[464, 2068, 7586]], { maxNewTokens: 20, temperature: 0.8, topK: 40 });
   *
   * Errors: ValueError for prompts that are empty or have unknown tokens, and for invalid options; the signal's reason.
   */
  async generate(prompts: Prompts, options: GenerateOptions = {}): Promise<number[][]> {
    const { generate } = await loadGeneration();
    return generate(this, prompts, options);
  }

  /**
   * As `generate`, token by token: `for await (const { token, prompt } of net.stream(prompts))`. The generation ends where the loop is
   * left.
   */
  async *stream(prompts: Prompts, options: GenerateOptions = {}): AsyncGenerator<GeneratedToken> {
    const { stream } = await loadGeneration();
    yield* stream(this, prompts, options);
  }
}

const loadGeneration = () => lazyImport('generation', () => import('../generation/generate.ts'));

registered(CausalLM);
