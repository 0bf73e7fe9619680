/** @file The names of a model's weights in TF.js, which finds weights by the layers that they belong to. */
import { ValueError } from '../../core/errors.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { ownWeightsIn } from './ownWeights.ts';

/** Returns the weights by name, in order. Errors: ValueError if two have the same name. */
export function layersModelWeights(model: AnyLayer): Map<string, Variable> {
  const named = new Map<string, Variable>();
  const ownWeights = ownWeightsIn(model);
  const visit = (layer: AnyLayer, scope: string): void => {
    for (const weight of ownWeights(layer)) {
      const name = `${scope}/${roleOf(layer, weight)}`;
      if (named.has(name)) throw twice(name, model);
      named.set(name, weight);
    }
    for (const [i, inner] of layer.sublayers.entries()) visit(inner, scopeOf(layer, inner, i, scope));
  };
  visit(model, model.name);
  return named;
}

/** Returns the name scope of layers inside of others; models don't add a prefix. */
function scopeOf(outer: AnyLayer, inner: AnyLayer, place: number, scope: string): string {
  if ('layers' in outer) return inner.name;
  if (outer.className === 'StackedRNNCells') return `${scope}/RNNCell_${place}`;
  if (outer.className !== 'Bidirectional')
    return 'cell' in outer || 'layer' in outer ? scope : `${scope}/${inner.name}`;
  const { forwardLayer } = outer as unknown as { forwardLayer: AnyLayer };
  const name = forwardLayer.name.replace(/^forward_/, '');
  return `${scope}/${inner === forwardLayer ? 'forward' : 'backward'}_${name}`;
}

function roleOf({ className }: AnyLayer, { path }: Variable): string {
  const role = path.slice(path.lastIndexOf('/') + 1);
  return role === 'kernel' && className.startsWith('Depthwise') ? 'depthwise_kernel' : role;
}

function twice(name: string, model: AnyLayer): ValueError {
  return new ValueError({
    op: 'save',
    rule: 'TF.js finds weights by the names of layers, also of those in models inside of others, and each model has its own.',
    received: `'${name}' twice in '${model.name}'`,
    hint: 'give the layers different names; call a layer in only one model.',
  });
}
