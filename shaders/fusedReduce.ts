/**
 * @file A reduction whose elements are the last values of a chain of elementwise ops: they are computed where the reduction
 * would read them, and never stored. Elements and reduction have the same bits as in separate launches.
 */
import {
  type FusedInput,
  type FusedStep,
  type FusedSteps,
  isStrided,
  readScalars,
  rounds,
  scalarsOf,
  stepFunction,
  stepValues,
  stridedOffset,
  valuesAcrossSteps,
} from './fusedSteps.ts';
import type { ComputedElements, ReduceOptions } from './reduce.ts';
import { range } from './lib/text.ts';
import { readsVectors } from './elementwise.ts';

/** `inputs` are read in units (see `unitOf`), `aligned` has no meaning. */
export type FusedReduceOptions = ReduceOptions & FusedSteps;

/** Elements that one read of x would return. */
export function unitOf({ width }: Pick<ReduceOptions, 'width'>): 1 | 4 | 16 {
  return width === 32 ? 16 : width;
}

/** The element type with which an input is bound. */
export function fusedInputElement({ type, layout }: FusedInput, unit: 1 | 4 | 16): string {
  if (unit === 1 || !readsVectors(layout, 4)) return type;
  return unit === 4 ? `vec4<${type}>` : sixteen(type);
}

const sixteen = (type: string) => (type === 'f32' ? 'mat4x4<f32>' : `array<vec4<${type}>, 4>`);

/** How the reduction gets its elements. */
export function computedElements({ inputs, steps }: FusedReduceOptions): ComputedElements {
  return {
    expressions: steps.map(({ expression }) => expression).join(' '),
    shared: [
      readScalars(steps),
      ...inputs.flatMap((own, i) => (isShared(own) ? [`let i${i} = in_${i}[0];`] : [])),
    ]
      .filter(Boolean)
      .join('\n  '),
    names: [...scalarsOf(steps), ...inputs.flatMap((own, i) => (isShared(own) ? [`i${i}`] : []))],
  };
}

const isShared = ({ layout }: FusedInput) => layout === 'scalar';

/** The functions of the steps, and `x_at`, which computes a unit of elements. */
export function elementFunctions(options: FusedReduceOptions): string {
  const { inputs, steps, input } = options;
  const unit = unitOf(options);
  const scalars = scalarsOf(steps);
  const declared = (own: (input: FusedInput) => boolean) => [
    ...scalars.map((scalar) => `${scalar}: u32`),
    ...inputs.flatMap((given, i) => (own(given) ? [`i${i}: ${given.type}`] : [])),
  ];
  const strided = inputs.flatMap((own, i) => (isStrided(own) ? [i] : []));
  const offsets = strided.map((i, k) => stridedOffset('at', i, k, inputs[i] as FusedInput));
  const loads = inputs.flatMap((own, i) =>
    isShared(own) ? [] : [`let i${i} = in_${i}[${isStrided(own) ? `offset_${i}` : 'at'}];`],
  );
  const element = (component: string) => {
    const values = inputs.map((own, i) => (readsVectors(own.layout, 4) ? `i${i}${component}` : `i${i}`));
    return `element(${[...scalars, ...values].join(', ')})`;
  };
  const elements = range(unit).map((n) => element(componentOf(n, unit)));
  const type = { 1: input, 4: `vec4<${input}>`, 16: 'mat4x4<f32>' }[unit];
  const last = steps.length - 1;
  return `${steps.map(stepFunction).join('\n\n')}

${valuesAcrossSteps(1)}

fn element(${declared(() => true).join(', ')}) -> ${input} {
  ${stepValues(options, 1)}
  return ${rounds(steps[last] as FusedStep) ? `rounded(v${last})` : `v${last}`};
}

fn x_at(${['at: u32', ...declared(isShared)].join(', ')}) -> ${type} {
  ${[...offsets, ...loads].join('\n  ')}
  return ${unit === 1 ? elements[0] : `${type}(${elements.join(', ')})`};
}
`;
}

/** Component n of a unit, as a suffix. */
function componentOf(n: number, unit: 1 | 4 | 16): string {
  if (unit === 1) return '';
  const component = `.${'xyzw'[n % 4]}`;
  return unit === 4 ? component : `[${n >> 2}]${component}`;
}
