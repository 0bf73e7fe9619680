/** @file The app's own WGSL: its scene, its pictures on the canvas, and one kernel that it hands to `encodeKernel`. */
import { defineKernel } from 'retrograd/kernels';
import { count, side } from './lights.ts';

/** Losses that the curve shows, at most. */
export const kept = 512;

const frame = /* wgsl */ `
  struct Frame {
    disc: vec2<f32>,
    seconds: f32,
    rings: f32,
    curve: vec2<f32>,
    losses: u32,
  }
  @group(0) @binding(0) var<uniform> frame: Frame;`;

/** What the lights look at: a ring whose colours turn, and a disc, with hard edges. */
export const sceneShader = /* wgsl */ `
  ${frame}
  @group(0) @binding(1) var<storage, read_write> pixels: array<f32>;

  @compute @workgroup_size(8, 8)
  fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= ${side}u || id.y >= ${side}u) {
      return;
    }
    let at = (vec2<f32>(id.xy) + 0.5) / ${side}.0;
    let arm = at - 0.5;
    let angle = atan2(arm.y, arm.x) + 0.5 * frame.seconds;
    let hues = 0.55 + 0.45 * cos(angle + vec3(0.0, 2.094, 4.189));
    let ring = step(abs(length(arm) - 0.31), 0.075);
    let disc = step(distance(at, frame.disc), 0.1);
    let colour = mix(ring * hues, vec3(1.0, 0.95, 0.85), disc);
    let first = (id.y * ${side}u + id.x) * 3u;
    pixels[first] = colour.r;
    pixels[first + 1u] = colour.g;
    pixels[first + 2u] = colour.b;
  }`;

/** Gradient descent, with a step size per parameter: RMSprop with momentum. */
export const descend = defineKernel({
  name: 'descend',
  bindings: { gradient: 'read f32', lights: 'read_write f32', averages: 'read_write vec2<f32>' },
  params: { size: 'u32', rate: 'f32' },
  source: () => /* wgsl */ `
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
      if (id.x >= params.size) {
        return;
      }
      let derivative = gradient[id.x];
      let average = mix(vec2(derivative, derivative * derivative), averages[id.x], vec2(0.9, 0.99));
      averages[id.x] = average;
      lights[id.x] -= params.rate * average.x / (sqrt(average.y) + 1e-7);
    }`,
});

/** Draws straight from the buffers that the kernels wrote: pictures, marks of the lights, and the curve of losses. */
export const drawShader = /* wgsl */ `
  ${frame}
  @group(0) @binding(1) var<storage, read> pixels: array<f32>;
  @group(0) @binding(2) var<storage, read> lights: array<f32>;
  @group(0) @binding(3) var<storage, read> losses: array<f32>;

  struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) at: vec2<f32>,
  }

  /** From (0, 0) at the top left and (1, 1) at the bottom right to where the GPU puts them. */
  fn placed(at: vec2<f32>) -> vec4<f32> {
    return vec4(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, 0.0, 1.0);
  }

  /** Corners of a square from -1 to 1, as a strip. */
  fn square(index: u32) -> vec2<f32> {
    return 2.0 * vec2(f32(index & 1u), f32(index >> 1u)) - 1.0;
  }

  @vertex
  fn whole(@builtin(vertex_index) index: u32) -> Corner {
    let at = 0.5 + 0.5 * square(index);
    return Corner(placed(at), at);
  }

  fn pixel(at: vec2<i32>) -> vec3<f32> {
    let inside = clamp(at, vec2(0), vec2(${side - 1}));
    let first = (inside.y * ${side} + inside.x) * 3;
    return vec3(pixels[first], pixels[first + 1], pixels[first + 2]);
  }

  @fragment
  fn picture(@location(0) at: vec2<f32>) -> @location(0) vec4<f32> {
    let place = at * ${side}.0 - 0.5;
    let corner = vec2<i32>(floor(place));
    let part = fract(place);
    let above = mix(pixel(corner), pixel(corner + vec2(1, 0)), part.x);
    let below = mix(pixel(corner + vec2(0, 1)), pixel(corner + vec2(1, 1)), part.x);
    return vec4(clamp(mix(above, below, part.y), vec3(0.0), vec3(1.0)), 1.0);
  }

  @vertex
  fn light(@builtin(vertex_index) index: u32, @builtin(instance_index) i: u32) -> Corner {
    let centre = vec2(lights[i], lights[${count}u + i]);
    let reach = 1.1 * exp(lights[${2 * count}u + i]) * frame.rings;
    return Corner(placed(centre + reach * square(index)), 1.1 * square(index));
  }

  @fragment
  fn ring(@location(0) at: vec2<f32>) -> @location(0) vec4<f32> {
    let pixel = fwidth(at.x);
    let away = length(at);
    let rim = 0.4 * (1.0 - smoothstep(0.3 * pixel, 1.2 * pixel, abs(away - 1.0)));
    let dot = 0.9 * (1.0 - smoothstep(1.2 * pixel, 2.2 * pixel, away));
    return vec4(max(rim, dot));
  }

  /** Where a loss stands: 0, at the top, for 10^-0.5, and 1 for 10^-3.5. */
  fn height(sample: u32) -> f32 {
    let decades = log2(max(losses[sample % ${kept}u], 1e-4)) / log2(10.0);
    return -(decades + 0.5) / 3.0;
  }

  @vertex
  fn segment(@builtin(vertex_index) index: u32, @builtin(instance_index) i: u32) -> Corner {
    let shown = min(frame.losses, ${kept}u);
    let first = frame.losses - shown + i;
    let steps = max(1.0, f32(shown - 1u));
    let begin = vec2(f32(i) / steps, height(first)) * frame.curve;
    let end = vec2(f32(i + 1u) / steps, height(first + 1u)) * frame.curve;
    let way = normalize(end - begin);
    let side = square(index);
    let at = select(begin, end, side.x > 0.0) + 2.0 * side.y * vec2(-way.y, way.x);
    return Corner(placed(at / frame.curve), side);
  }

  @fragment
  fn line(@location(0) at: vec2<f32>) -> @location(0) vec4<f32> {
    return vec4(0.88, 0.42, 0.12, 1.0) * (1.0 - smoothstep(0.4, 0.9, abs(at.y)));
  }`;
