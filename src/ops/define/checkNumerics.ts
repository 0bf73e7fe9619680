/**
 * @file A mode that searches every op's outputs for NaN and infinities, forward and backward. Findings are reported through
 * the fault words, so nothing waits; when off, it costs one comparison per call.
 */
import { isFloating } from '../../core/dtype.ts';
import { NonFiniteError } from '../../core/errors.ts';
import { requireBoolean, unravel } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { callSite } from '../../history/callSite.ts';
import { currentGradient } from '../../history/frames.ts';
import { nonFiniteKernel } from '../../kernels/reduce/nonFinite.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call } from './call.ts';
import { type DataSite, setOutputSearch } from './outputSearch.ts';

/**
 * Turns the mode on or off. While it is on, the readback of values that depend on a NaN or an infinity rejects with a
 * NonFiniteError that names the first such op, its history and the shapes of its inputs. Later ops that it affects are not
 * reported separately. Data of `fit`, `evaluate` and `predict` are searched before anything is computed with them.
 * Results of dtype float32 are checked. Errors: none at the call itself.
 */
export function checkNumerics(on = true): void {
  requireBoolean('checkNumerics', 'on', on);
  setOutputSearch(on ? { outputs: searchOutputs, data: searchData } : null);
}

const word = new DataView(new ArrayBuffer(4));

/** Launches the search on each float output of a call. */
function searchOutputs(call: Call, inputs: readonly (Tensor | null)[], outputs: readonly Tensor[]): void {
  const specs = inputs.filter((input) => input !== null).map(formatSpec);
  const gradientOf = currentGradient();
  const site = callSite();
  outputs.forEach((output, i) => {
    if (!isFloating(output.dtype) || output.size === 0) return;
    const { shape } = output;
    const spec = formatSpec(output);
    nonFiniteKernel(output, {
      count: output.size,
      raise: (flat, bits) => {
        const value = numberOf(bits);
        const position = unravel(flat, shape);
        const layer = (call.parent ?? gradientOf?.parent)?.operation.name;
        const lines = [
          `output ${i} ${spec} holds ${value} at position [${position.join(', ')}], the first of this run.`,
          `  inputs: ${specs.join(', ') || 'none'}`,
        ];
        if (gradientOf)
          lines.push(`  in the gradient of '${gradientOf.operation.name}' (call ${gradientOf.index + 1})`);
        if (layer) lines.push(`  made by layer '${layer}'`);
        if (site) lines.push(`  recorded at ${site}`);
        return new NonFiniteError({
          op: call.op,
          rule: lines.join('\n'),
          hint: 'look at the inputs of this op: a division by zero, a logarithm of what isn’t positive, an overflow.',
          position,
          value,
          layer,
          history: call.node ?? gradientOf,
          inputs: specs,
        });
      },
    });
  });
}

/** Launches the search on data. */
function searchData(values: Tensor, { op, what, sampleOf }: DataSite): void {
  if (!isFloating(values.dtype) || values.size === 0) return;
  const { shape } = values;
  const spec = formatSpec(values);
  nonFiniteKernel(values, {
    count: values.size,
    raise: (flat, bits) => {
      const value = numberOf(bits);
      const [row = 0, ...inner] = unravel(flat, shape);
      const sample = sampleOf(row);
      const place = inner.length > 0 ? `, at position [${inner.join(', ')}] of it` : '';
      return new NonFiniteError({
        op,
        rule: `the data hold ${value}: sample ${sample} of \`${what}\`${place}.`,
        received: `a batch ${spec} of it`,
        hint: 'repair the data, or leave such samples out: one NaN makes every weight NaN.',
        position: [sample, ...inner],
        value,
        inputs: [],
      });
    },
  });
}

function numberOf(bits: number): number {
  word.setUint32(0, bits);
  return word.getFloat32(0);
}
