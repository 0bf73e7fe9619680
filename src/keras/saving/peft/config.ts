/** @file adapter_config.json of PEFT: which adapters a file has, and how they are scaled. */
import { patternFault } from '../../../core/patternFault.ts';
import { FormatError } from '../../../core/errors.ts';
import { isListOf } from '../../../core/lists.ts';
import { describe } from '../../../core/shape.ts';

/** The fields that are read and written here. PEFT has further ones, which are kept as they are. */
export interface AdapterConfig {
  readonly peft_type: string;
  readonly r: number;
  readonly lora_alpha: number;
  readonly use_rslora: boolean;
  readonly use_dora: boolean;
  readonly lora_bias: boolean;
  readonly bias: 'none' | 'all' | 'lora_only';
  readonly rank_pattern: Readonly<Record<string, number>>;
  readonly alpha_pattern: Readonly<Record<string, number>>;
  readonly target_modules: string | readonly string[] | null;
  readonly modules_to_save: readonly string[] | null;
  readonly [field: string]: unknown;
}

/** What a new file says of the fields that nothing here depends on, as PEFT does by default. */
export const usualFields: AdapterConfig = {
  alpha_pattern: {},
  auto_mapping: null,
  base_model_name_or_path: null,
  bias: 'none',
  fan_in_fan_out: false,
  inference_mode: true,
  init_lora_weights: true,
  layer_replication: null,
  layers_pattern: null,
  layers_to_transform: null,
  lora_alpha: 8,
  lora_bias: false,
  lora_dropout: 0.0,
  modules_to_save: null,
  peft_type: 'LORA',
  r: 8,
  rank_pattern: {},
  revision: null,
  target_modules: null,
  task_type: null,
  use_dora: false,
  use_rslora: false,
};

/** Values of fields with which PEFT computes something else. */
const required: Readonly<Record<string, readonly unknown[]>> = {
  peft_type: ['LORA'],
  bias: ['none', 'all', 'lora_only'],
  // With others, PEFT changes the weights below the adapter when it loads it.
  init_lora_weights: [true, false, null, 'gaussian', 'eva', 'orthogonal'],
  layer_replication: [null],
  megatron_config: [null],
  trainable_token_indices: [null],
  target_parameters: [null],
  alora_invocation_tokens: [null],
  arrow_config: [null],
  kasa_config: [null],
  monteclora_config: [null],
  use_bdlora: [null, false],
  use_qalora: [false],
};

/** Reads a configuration. Errors: FormatError for anything but LoRA as it is computed here. */
export function readConfig(text: string, file: string): AdapterConfig {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw invalid(file, 'the configuration of an adapter is JSON.', String((cause as Error).message), cause);
  }
  return checkedConfig(parsed, file);
}

/** Returns a configuration with the usual values of fields that it lacks. Errors: FormatError. */
export function checkedConfig(given: unknown, file: string): AdapterConfig {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid(file, 'the configuration of an adapter is an object.', describe(given));
  // A field named __proto__ stays a field.
  const config = Object.assign(Object.create(null), usualFields, given) as AdapterConfig;
  for (const [field, values] of Object.entries(required)) {
    const value = config[field];
    if (value === undefined || values.includes(value)) continue;
    const rule = `only LoRA without extensions is read: \`${field}\` is ${describe(values[0])}.`;
    throw invalid(file, rule, `${field}: ${describe(value)}`);
  }
  const isCount = (n: unknown) => Number.isInteger(n) && (n as number) > 0;
  requireField(file, config, 'r', isCount);
  const isAlpha = (n: unknown) => Number.isFinite(Math.fround(typeof n === 'number' ? n : Number.NaN));
  requireField(file, config, 'lora_alpha', isAlpha);
  requireField(file, config, 'lora_dropout', (n) => Number.isFinite(n));
  const isName = (name: unknown) => typeof name === 'string';
  requireField(file, config, 'modules_to_save', (names) => names === null || isListOf(names, isName));
  const isTarget = (names: unknown) => names === null || isName(names) || isListOf(names, isName);
  requireField(file, config, 'target_modules', isTarget);
  for (const field of ['use_rslora', 'use_dora', 'lora_bias'])
    requireField(file, config, field, (value) => typeof value === 'boolean');
  if (config.use_dora && config.lora_bias)
    throw invalid(file, 'PEFT has no DoRA with biases of adapters.', 'use_dora: true, lora_bias: true');
  requireField(file, config, 'rank_pattern', (value) => isNumbers(value, isCount));
  requireField(file, config, 'alpha_pattern', (value) => isNumbers(value, isAlpha));
  for (const field of ['rank_pattern', 'alpha_pattern'] as const)
    for (const pattern of Object.keys(config[field])) requirePattern(file, field, pattern);
  return config;
}

function requireField(
  file: string,
  config: AdapterConfig,
  field: string,
  isValid: (value: unknown) => boolean,
): void {
  if (isValid(config[field])) return;
  throw invalid(file, `\`${field}\` is a value that PEFT writes.`, `${field}: ${describe(config[field])}`);
}

function isNumbers(value: unknown, isValid: (n: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isValid);
}

/** Patterns come from a file: none may take for ever. */
function requirePattern(file: string, field: string, pattern: string): void {
  const fault = patternFault(wholePattern(pattern)) ?? syntaxFault(pattern);
  if (fault === null) return;
  const received = `${field}: ${JSON.stringify(pattern.slice(0, 80))}`;
  throw invalid(file, `a pattern in \`${field}\` is a simple regular expression: ${fault}.`, received);
}

function syntaxFault(pattern: string): string | null {
  try {
    regExpOf(pattern);
    return null;
  } catch {
    return 'one that JavaScript knows, too';
  }
}

/** As PEFT completes a pattern: it is the name of a module, or its end after a dot. */
const wholePattern = (pattern: string) => `^(?:.*\\.)?(?:${pattern})$`;

const regExpOf = (pattern: string) => new RegExp(wholePattern(pattern));

/** Returns what the patterns say of a module; PEFT takes the first that fits the module's name or its end. */
export function patternValue(
  patterns: Readonly<Record<string, number>>,
  module: string,
  otherwise: number,
): number {
  for (const [pattern, value] of Object.entries(patterns)) if (fitsPattern(pattern, module)) return value;
  return otherwise;
}

/** Names that were written here are compared as text: they may have any characters. */
function fitsPattern(pattern: string, module: string): boolean {
  if (module === pattern || module.endsWith(`.${pattern}`)) return true;
  return syntaxFault(pattern) === null && regExpOf(pattern).test(module);
}

/** Writes a configuration as PEFT does: fields in order of their names, two spaces for each level. */
export function writeConfig(config: AdapterConfig): string {
  return JSON.stringify(sorted(config), null, 2);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([field, each]) => [field, sorted(each)]));
}

function invalid(file: string, rule: string, received: string, cause?: unknown): FormatError {
  const hint = 'save the adapter in PEFT as a plain LoRA, or merge it there.';
  return new FormatError({ op: file, rule, received, hint, cause });
}
