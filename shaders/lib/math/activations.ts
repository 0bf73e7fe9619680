/**
 * @file Activation functions and their derivatives, for the elementwise ops and for kernels that fuse an activation.
 */
export const activationFunctions: Record<string, string> = {
  // Clears what lies between -0 and -∞ in the order of the bits, and so leaves NaN alone.
  relu: /* wgsl */ `
fn relu(x: f32) -> f32 {
  return select(x, 0.0, bitcast<u32>(x) - 0x80000000u <= 0x7f800000u);
}`,

  relu6: /* wgsl */ `
fn relu6(x: f32) -> f32 {
  return smaller(relu(x), 6.0);
}`,

  hard_sigmoid: /* wgsl */ `
fn hard_sigmoid(x: f32) -> f32 {
  return relu6(x + 3.0) * 0.166666667;
}`,

  elu: /* wgsl */ `
fn elu(x: f32, alpha: f32) -> f32 {
  return select(x, alpha * expm1(x), x <= 0.0);
}`,

  // Constants of G. Klambauer et al., Self-normalizing neural networks, 2017.
  selu: /* wgsl */ `
fn selu(x: f32) -> f32 {
  return 1.05070099 * elu(x, 1.67326324);
}`,

  // D. Hendrycks and K. Gimpel, Gaussian error linear units, 2016.
  gelu: /* wgsl */ `
fn gelu(x: f32) -> f32 {
  return x * normal_distribution(x);
}`,

  gelu_slope: /* wgsl */ `
fn gelu_slope(x: f32) -> f32 {
  let near = bounded(x, 40.0);
  return normal_distribution(near) + near * normal_density(near);
}`,

  // ½ (1 + tanh u) = sigmoid 2u, which keeps the relative accuracy of the lower tail.
  gelu_tanh: /* wgsl */ `
fn gelu_tanh(x: f32) -> f32 {
  return x * sigmoid(1.59576912 * (x + 0.044715 * x * x * x));
}`,

  gelu_tanh_slope: /* wgsl */ `
fn gelu_tanh_slope(x: f32) -> f32 {
  let near = bounded(x, 40.0);
  let s = sigmoid(1.59576912 * (near + 0.044715 * near * near * near));
  return s + near * s * (1.0 - s) * 1.59576912 * (1.0 + 0.134145 * near * near);
}`,

  silu_slope: /* wgsl */ `
fn silu_slope(x: f32) -> f32 {
  let near = bounded(x, 200.0);
  let s = sigmoid(near);
  return s * (1.0 + near * sigmoid(-near));
}`,

  // tanh(log(1 + e^x)) without the logarithm: n / (n + 2) with n = e^x (e^x + 2). D. Misra, Mish, 2019.
  mish_gate: /* wgsl */ `
fn mish_gate(x: f32) -> f32 {
  let e = precise_exp(select(x, 20.0, x > 20.0));
  let n = e * (e + 2.0);
  return n / (n + 2.0);
}`,

  mish_slope: /* wgsl */ `
fn mish_slope(x: f32) -> f32 {
  let near = bounded(x, 200.0);
  let gate = mish_gate(near);
  return gate + near * sigmoid(near) * (1.0 - gate * gate);
}`,
};
