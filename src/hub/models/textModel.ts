/** @file TextModel: a backbone of texts with a head. */
import { backboneKind, HeadModel, type HeadModelOptions } from './headModel.ts';
import { TextBackbone, type TextInputs } from './textBackbone.ts';

/** Options of every model with a backbone of texts. */
export interface TextModelOptions extends HeadModelOptions<TextBackbone> {}

/** The kind of a backbone of texts. */
export const textBackboneKind = /* @__PURE__ */ backboneKind(TextBackbone, 'GPT2Backbone');

/** A backbone of texts with a head. Its weights exist once it is created. */
export abstract class TextModel extends HeadModel<TextInputs, TextBackbone> {
  protected override buildLayers(): void {
    super.buildLayers([null, null]);
  }
}
