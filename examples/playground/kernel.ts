// A kernel of your own: WGSL, its buffers and its parameters. The
// declarations of both are generated.
import { defineKernel, flatIndex, init, runKernel, toPixels } from 'retrograd';
import { type Picture, pictures, sliders } from 'playground';

await init();
const size = 320;

const julia = defineKernel({
  name: 'julia',
  bindings: { image: 'write f32' },
  params: { size: 'u32', re: 'f32', im: 'f32' },
  source: () => /* wgsl */ `
    ${flatIndex}
    @compute @workgroup_size(64)
    fn main(
      @builtin(workgroup_id) group: vec3<u32>,
      @builtin(num_workgroups) groups: vec3<u32>,
      @builtin(local_invocation_index) local: u32,
    ) {
      let i = flat_index(group, groups, local, 64u);
      let n = params.size;
      if (i >= n * n) { return; }
      var z = 3.0 * vec2f(f32(i % n), f32(i / n)) / f32(n) - 1.5;
      var count = 0.0;
      for (; count < 90.0 && dot(z, z) < 16.0; count += 1.0) {
        z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y)
          + vec2f(params.re, params.im);
      }
      let t = sqrt(count / 90.0);
      image[3 * i] = t;
      image[3 * i + 1] = t * t * 0.8;
      image[3 * i + 2] = 0.3 + 0.5 * sin(6.0 * t);
    }`,
});

const at = sliders(
  {
    re: { label: 'real part', value: -0.78, min: -1, max: 0.5, step: 0.01 },
    im: { label: 'imaginary part', value: 0.14, min: -1, max: 1, step: 0.01 },
  },
  async () => shown.update(await draw()),
);

const signed = (value: number) => `${value < 0 ? '−' : '+'} ${Math.abs(value)}`;

async function draw(): Promise<Picture[]> {
  const { image } = runKernel(julia, {
    inputs: {},
    outputs: { image: { shape: [size, size, 3], dtype: 'float32' } },
    params: { size, re: at.re, im: at.im },
    workgroups: Math.ceil((size * size) / 64),
  });
  const { width, height, data } = await toPixels(image, { range: [0, 1] });
  image.dispose();
  const pixels = { width, height, data: new Uint8ClampedArray(data) };
  return [{ title: `z² ${signed(at.re)} ${signed(at.im)}i`, pixels }];
}

const shown = pictures(await draw());
