/**
 * @file What to do about an option of a file that its class doesn't have. Which version of Keras wrote it is known only for
 * the names that Keras 1 and 2 had and Keras 3 dropped.
 */

/** Names that Keras 3 dropped, for all layers and optimizers or for the class that had them. */
const dropped = new Set([
  // Keras 2: layers.
  'batch_input_shape',
  'input_shape',
  'input_dim',
  'input_length',
  'input_dtype',
  'batch_size',
  'dynamic',
  'experimental_autocast',
  'implementation',
  'time_major',
  'alpha',
  'theta',
  'lambdas',
  'renorm',
  'renorm_clipping',
  'renorm_momentum',
  'fused',
  'virtual_batch_size',
  'adjustment',
  'ragged',
  // Keras 2: optimizers.
  'lr',
  'decay',
  'initial_decay',
  'schedule_decay',
  'jit_compile',
  'is_legacy_optimizer',
  // Keras 1.
  'output_dim',
  'init',
  'inner_init',
  'inner_activation',
  'forget_bias_init',
  'bias',
  'p',
  'W_regularizer',
  'U_regularizer',
  'b_regularizer',
  'W_constraint',
  'b_constraint',
  'dropout_W',
  'dropout_U',
  'consume_less',
  'nb_filter',
  'nb_row',
  'nb_col',
  'filter_length',
  'subsample',
  'subsample_length',
  'border_mode',
  'dim_ordering',
  'atrous_rate',
  'gamma_init',
  'beta_init',
  'mode',
  'sigma',
]);

/** Returns the hint for options that a class doesn't have. */
export function adviceOn(names: readonly string[]): string {
  const listed = names.map((name) => `'${name}'`).join(', ');
  if (names.every((name) => dropped.has(name)))
    return `older versions of Keras had ${listed}: load and save the model with Keras 3, or remove it from the file.`;
  return `${listed} may be of another version of Keras or of a class of your own: save the model without it, or register the class.`;
}
