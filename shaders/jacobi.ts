/**
 * @file One-sided Jacobi: rotations that make the rows of each matrix orthogonal, for singular values and eigenvectors.
 * One workgroup per matrix. Rows are paired like players of a round-robin tournament; the pairs of a round share no row, so
 * each invocation rotates pairs independently, and a round ends with a barrier.
 * Source: G. Golub, C. Van Loan, Matrix computations, 8.5.5 and 8.6.3.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

const jacobiWorkgroup = 64;

/** The maximum number of sweeps over all pairs. Six to ten suffice even for large matrices, unless they converge slowly. */
const maxSweeps = 24;

/**
 * w = rotations · x, with orthogonal rows: x and w [matrices, rows, columns], rotations [matrices, rows, rows]. Elements
 * must be at most about 1, so that no square overflows.
 */
export function jacobi(): string {
  return wgsl`
${flatIndex}
var<workgroup> rotated: atomic<u32>;
var<workgroup> has_rotated: u32;

// The player at place k of the table in this round: the last one stays, the others rotate.
fn player(k: u32, round: u32, players: u32) -> u32 {
  return select((round + k) % (players - 1u), players - 1u, k == 0u);
}

// Rotates rows p and q of w until they are orthogonal, and of the rotations with them. Returns whether it did.
fn rotate(base: u32, p: u32, q: u32, rotations_base: u32) -> bool {
  let columns = params.columns;
  let first = base + p * columns;
  let second = base + q * columns;
  var alpha = 0.0;
  var beta = 0.0;
  var gamma = 0.0;
  for (var i = 0u; i < columns; i++) {
    let a = w[first + i];
    let b = w[second + i];
    alpha += a * a;
    beta += b * b;
    gamma += a * b;
  }
  // Half a unit in the last place, for each of the products as they add up.
  let noise = 1.2e-7 * sqrt(f32(columns)) * sqrt(alpha) * sqrt(beta);
  if (abs(gamma) <= noise) {
    return false;
  }
  let zeta = (beta - alpha) / (2.0 * gamma);
  let near = select(1.0, -1.0, zeta < 0.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta));
  // The square of a large one may overflow.
  let tangent = select(near, 0.5 / zeta, abs(zeta) > 1e6);
  let cosine = inverseSqrt(1.0 + tangent * tangent);
  let sine = cosine * tangent;
  for (var i = 0u; i < columns; i++) {
    let a = w[first + i];
    let b = w[second + i];
    w[first + i] = cosine * a - sine * b;
    w[second + i] = sine * a + cosine * b;
  }
  let rows = params.rows;
  for (var i = 0u; i < rows; i++) {
    let a = rotations[rotations_base + p * rows + i];
    let b = rotations[rotations_base + q * rows + i];
    rotations[rotations_base + p * rows + i] = cosine * a - sine * b;
    rotations[rotations_base + q * rows + i] = sine * a + cosine * b;
  }
  return true;
}

@compute @workgroup_size(${jacobiWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let matrix = flat_group(group, groups);
  let rows = params.rows;
  let base = matrix * rows * params.columns;
  let rotations_base = matrix * rows * rows;
  // A folded grid may have workgroups beyond the last matrix.
  let end = select(0u, rows, matrix < params.count);
  for (var i = local; i < end * params.columns; i += ${jacobiWorkgroup}u) {
    w[base + i] = x[base + i];
  }
  for (var i = local; i < end * end; i += ${jacobiWorkgroup}u) {
    rotations[rotations_base + i] = select(0.0, 1.0, i % (rows + 1u) == 0u);
  }
  storageBarrier();
  // With an odd number of rows there is a dummy player, whose opponent pauses.
  let players = rows + rows % 2u;
  for (var sweep = 0u; sweep < ${maxSweeps}u; sweep++) {
    for (var round = 0u; round + 1u < players; round++) {
      for (var k = local; 2u * k < select(0u, players, end > 0u); k += ${jacobiWorkgroup}u) {
        let one = player(k, round, players);
        let other = select((round + players - 1u - k) % (players - 1u), round, k == 0u);
        let p = min(one, other);
        let q = max(one, other);
        if (q < rows) {
          if (rotate(base, p, q, rotations_base)) {
            atomicStore(&rotated, 1u);
          }
        }
      }
      storageBarrier();
    }
    workgroupBarrier();
    if (local == 0u) {
      has_rotated = atomicExchange(&rotated, 0u);
    }
    if (workgroupUniformLoad(&has_rotated) == 0u) {
      break;
    }
  }
}
`;
}
