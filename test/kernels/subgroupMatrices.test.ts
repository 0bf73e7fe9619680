/**
 * @file float16 matmul by subgroup matrices. No adapter of these tests has any, so the form is tested in two parts: what
 * it computes, in a dialect where a subgroup is one invocation and a matrix an array; and whether it compiles in Chromium's
 * dialect, by Dawn's compiler, whose null adapter accepts every feature.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from 'webgpu';
import { faultLibrary } from '../../shaders/lib/fault.ts';
import type { GemmTile, SubgroupMatrixSize } from '../../shaders/gemm.ts';
import {
  type SubgroupMatrixDialect,
  setDialect,
  subgroupMatrixDialects,
  subgroupMatrixProbe,
} from '../../shaders/gemm/subgroupMatrix.ts';
import { float16ToNumber, numberToFloat16 } from '../../src/core/float16.ts';
import { moduleSource } from '../../src/webgpu/kernel.ts';
import { openDevice } from '../../src/webgpu/adapter.ts';
import { matrixSizeOf } from '../../src/webgpu/matrixSize.ts';
import { subgroupMatrixFeatures, subgroupMatrixOf } from '../../src/webgpu/subgroupMatrices.ts';
import {
  conv2d,
  explainChoice,
  fusedMatMul,
  init,
  matMul,
  setDevice,
  type Tensor,
  tensor,
  tidy,
} from '../../src/index.ts';
import { selectGemm } from '../../src/kernels/gemm/gemmAlgorithm.ts';
import type { GemmProblem } from '../../src/kernels/gemm/gemmProblem.ts';
import { gemmTiles } from '../../src/kernels/gemm/gemmTiles.ts';
import { commandsOf } from '../../src/autotune/survey.ts';
import { profileFor, withProfile } from '../support/adapterClass.ts';
import { withGemmTile } from '../support/algorithms.ts';
import { allowedError, convolution } from '../support/convolutions.ts';
import { convolve, draw, largestError, product, sizes } from '../support/reference.ts';

const device = await init();

/**
 * A dialect in which a matrix is an array of one invocation, which is the whole subgroup. Operands stay in workgroup memory, as
 * the place of their first element and their stride: copies of them are most of what a software adapter would compile.
 */
const arrays: SubgroupMatrixDialect = {
  directives: '',
  element: 'f32',
  declarations: ([m, n, k]) => `
struct Left { at: u32, stride: u32 }
struct Right { at: u32, stride: u32 }
struct Sum { v: array<f32, ${m * n}> }

fn multiplied(left: Left, right: Right, before: Sum) -> Sum {
  var sum = before;
  for (var i = 0u; i < ${m * n}u; i++) {
    for (var s = 0u; s < ${k}u; s++) {
      sum.v[i] += a_tile[left.at + s * left.stride + i / ${n}u] * b_tile[right.at + s * right.stride + i % ${n}u];
    }
  }
  return sum;
}
`,
  builtins: '',
  prologue: 'let subgroup = local;\nlet lane = 0u;',
  zero: () => 'Sum()',
  left: (_, at, stride) => `Left(${at}, ${stride}u)`,
  right: (_, at, stride) => `Right(${at}, ${stride}u)`,
  multiply: (left, right, sum) => `multiplied(${left}, ${right}, ${sum})`,
  store: ([m, n], at, sum) => `for (var i = 0u; i < ${m * n}u; i++) { staged[${at} + i] = ${sum}.v[i]; }`,
};

/**
 * Returns a tile of 32 × 32, of four subgroups of one lane each. With few lanes, unrolled loads are long, so k tiles are short.
 */
const tileOf = (matrixSize: SubgroupMatrixSize, block: Partial<GemmTile> = {}): GemmTile => ({
  ...gemmTiles.medium,
  memory: 'subgroupMatrix',
  groupM: 2,
  groupN: 2,
  blockM: 16,
  blockN: 16,
  depth: Math.max(8, matrixSize[2]),
  matrixSize,
  ...block,
});

/** Blocks of one matrix, which compile faster: how operands are loaded doesn't depend on how many matrices there are. */
const oneMatrix = { blockM: 8, blockN: 8 };

/** Values that float16 holds exactly. */
const drawFloat16 = (size: number, seed: number) =>
  draw(size, seed).map((value) => float16ToNumber(numberToFloat16(value)));

const float16Tensor = (values: Float32Array, shape: readonly number[]) =>
  tensor(values, { shape: [...shape], dtype: 'float16' });

async function expectNear(result: Tensor, wanted: Float64Array, k: number, what: string): Promise<void> {
  expect(largestError(await result.data(), wanted), what).toBeLessThan(allowedError(k));
  result.dispose();
}

describe('what it computes', () => {
  beforeAll(() => setDialect(arrays));
  afterAll(() => setDialect());

  const size = [33, 36, 17] as const;

  test.each([
    [[8, 8, 8, 1], size, false, false, {}],
    [[8, 8, 8, 1], size, true, false, oneMatrix],
    [[8, 8, 8, 1], size, false, true, oneMatrix],
    [[8, 8, 8, 1], [31, 33, 15], true, true, oneMatrix],
    [[16, 8, 16, 1], [64, 40, 52], false, false, {}],
    [[8, 16, 4, 1], [5, 70, 33], false, true, {}],
  ] as const)(
    'in matrices of %j, of %j, transposed: %j, %j, in blocks of %j',
    async (matrixSize, [m, n, k], transposeA, transposeB, block) => {
      const [a, b] = [drawFloat16(m * k, 1), drawFloat16(k * n, 2)];
      const c = tidy(() =>
        withGemmTile(tileOf(matrixSize, block), () =>
          matMul(
            float16Tensor(a, transposeA ? [k, m] : [m, k]),
            float16Tensor(b, transposeB ? [n, k] : [k, n]),
            {
              transposeA,
              transposeB,
            },
          ),
        ),
      );
      await expectNear(c, product(a, b, [m, n, k], transposeA, transposeB), k, 'product');
    },
  );

  test.each([
    ['channels in fours', 12],
    ['few channels, which fill no k tile', 3],
  ])('convolutions whose windows reach beyond the image, of %s', async (_, channels) => {
    const c = convolution({ batch: 2, image: [7, 6, channels], kernel: [3, 3, 20], before: [1, 1] });
    const image = drawFloat16(sizes.image(c), 6);
    const kernel = drawFloat16(sizes.kernel(c), 7);
    const y = tidy(() =>
      withGemmTile(tileOf([8, 8, 8, 1]), () =>
        conv2d(float16Tensor(image, [2, 7, 6, channels]), float16Tensor(kernel, [3, 3, channels, 20]), {
          padding: 'same',
        }),
      ),
    );
    await expectNear(y, convolve(c, image, kernel), 9 * channels, 'convolution');
  });

  test('with bias and activation, for each matrix of a batch, and with k in parts', async () => {
    const [m, n, k] = [20, 24, 1040] as const;
    const [a, b, bias] = [drawFloat16(2 * m * k, 3), drawFloat16(2 * k * n, 4), draw(n, 5)];
    const on = (body: () => Tensor) => tidy(() => withGemmTile(tileOf([8, 8, 8, 1]), body));
    const fused = on(() =>
      fusedMatMul(
        float16Tensor(a.slice(0, m * k), [m, k]),
        float16Tensor(b.slice(0, k * n), [k, n]),
        tensor(bias),
        {
          activation: 'relu',
        },
      ),
    );
    const first = product(a, b, [m, n, k]);
    const rectified = first.map((value, i) => Math.max(0, value + (bias[i % n] as number)));
    await expectNear(fused, rectified, k, 'fused');
    const batch = on(() => matMul(float16Tensor(a, [2, m, k]), float16Tensor(b, [2, k, n])));
    const second = product(a.slice(m * k), b.slice(k * n), [m, n, k]);
    await expectNear(batch, Float64Array.of(...first, ...second), k, 'batch');
  });
});

/** Runs `body` as on a GPU with subgroup matrices of the size `matrixSize`. */
function withMatrixSize<T>(matrixSize: SubgroupMatrixSize, body: () => T): Promise<T> {
  return withProfile({ ...profileFor('gpu'), subgroupMatrix: matrixSize }, body);
}

test('it is selected for two float16 operands that fill a matrix, where the device is to use it', async () => {
  const square = float16Tensor(draw(768 * 768, 1), [768, 768]);
  const flat = float16Tensor(draw(6 * 768, 1), [6, 768]);
  const float = tensor(draw(768 * 768, 1), { shape: [768, 768] });
  const selected = (a: Tensor, b: Tensor) => explainChoice(matMul, a, b).choices[0]?.selected;
  expect(selected(square, square)).not.toBe('subgroup matrices');
  await withMatrixSize([8, 8, 8, 32], () => {
    expect(selected(square, square)).toBe('subgroup matrices');
    for (const [a, b] of [
      [square, float],
      [float, square],
      [float, float],
      [flat, square],
    ] as const)
      expect(selected(a, b)).not.toBe('subgroup matrices');
  });
});

test('a device without the features has none, and asking for them changes nothing', async () => {
  const { gpu } = device;
  try {
    const own = await init({
      device: (await (await navigator.gpu.requestAdapter())?.requestDevice()) as GPUDevice,
      subgroupMatrices: true,
    });
    expect(own.subgroupMatrix).toBeNull();
    expect(await matMul([[2]], [[3]]).data()).toEqual(new Float32Array([6]));
    own.gpu.destroy();
  } finally {
    setDevice(device);
  }
  expect(device.gpu).toBe(gpu);
});

test('the largest float16 matrices with float32 sums are used, of subgroups of one size', () => {
  const config = (M: number, N: number, K: number, componentType = 'f16', resultComponentType = 'f32') => ({
    M,
    N,
    K,
    componentType,
    resultComponentType,
  });
  const sizeWith = (info: object) =>
    subgroupMatrixOf({
      features: new Set(subgroupMatrixFeatures),
      adapterInfo: info,
    } as unknown as GPUDevice);
  const configs = [
    config(8, 8, 8),
    config(16, 16, 16, 'f16', 'f16'),
    config(16, 8, 16),
    config(16, 16, 16),
    config(64, 64, 16),
    config(16, 16, 32, 'u8', 'u32'),
  ];
  const sizes = { subgroupMinSize: 32, subgroupMaxSize: 32 };
  expect(sizeWith({ ...sizes, subgroupMatrixConfigs: configs })).toEqual([16, 16, 16, 32]);
  expect(sizeWith({ ...sizes, subgroupMatrixConfigs: configs.slice(0, 2) })).toEqual([8, 8, 8, 32]);
  expect(sizeWith({ ...sizes, subgroupMatrixConfigs: [] })).toBeNull();
  expect(sizeWith({ ...sizes, subgroupMinSize: 8, subgroupMatrixConfigs: configs })).toBeNull();
});

test('sizes that the adapter describes and its device does not are found', async () => {
  const sizes = { subgroupMinSize: 32, subgroupMaxSize: 32 };
  const config = { componentType: 'f16', resultComponentType: 'f32', M: 16, N: 16, K: 16 };
  const features = new Set(subgroupMatrixFeatures);
  const adapter = {
    info: { ...sizes, subgroupMatrixConfigs: [config] },
    features,
    limits: {},
    requestDevice: async () => ({ adapterInfo: { ...sizes, subgroupMatrixConfigs: [] }, features }),
  };
  const entry = { requestAdapter: async () => adapter } as unknown as GPU;
  const opened = await openDevice(entry, {}, subgroupMatrixFeatures);
  expect(subgroupMatrixOf(opened)).toEqual([16, 16, 16, 32]);
});

test.each<[string, readonly [number, number], Partial<GemmTile> | null]>([
  ['128 × 128, of enough workgroups', [2048, 2048], { groupM: 16, groupN: 8, blockM: 8, blockN: 16 }],
  ['64 × 64, of fewer', [1024, 1024], { groupM: 16, groupN: 8, blockM: 4, blockN: 8 }],
  ['32 × 64, of even fewer', [1024, 768], { groupM: 8, groupN: 8, blockM: 4, blockN: 8 }],
  ['none, where float32 has smaller tiles', [512, 512], null],
])('the tile is %s', (_, [m, n], expected) => {
  const operand = { width: 4, float16: true } as const;
  const problem: GemmProblem = {
    dtype: 'float32',
    size: { m, n, segments: 1, length: 1024, slices: 1 },
    a: { ...operand, major: 'k' },
    b: { ...operand, major: 'mn' },
    outWidth: 4,
    conv2d: null,
  };
  const { tile } = selectGemm(problem, { ...profileFor('gpu'), subgroupMatrix: [16, 16, 16, 32] });
  if (expected) expect(tile).toMatchObject({ memory: 'subgroupMatrix', ...expected });
  else expect(tile.memory).toBe('shared');
});

describe('at init', () => {
  const empty = '@compute @workgroup_size(1)\nfn main() {}';

  /** Returns a device that claims to have subgroup matrices, and only compiles programs that contain `known`. */
  const deviceThatKnows = (known: string) =>
    ({
      features: new Set(subgroupMatrixFeatures),
      adapterInfo: {
        subgroupMinSize: 32,
        subgroupMaxSize: 32,
        subgroupMatrixConfigs: [{ componentType: 'f16', resultComponentType: 'f32', M: 16, N: 16, K: 16 }],
      },
      pushErrorScope: (filter: GPUErrorFilter) => device.gpu.pushErrorScope(filter),
      popErrorScope: () => device.gpu.popErrorScope(),
      createShaderModule: ({ code }: GPUShaderModuleDescriptor) =>
        device.gpu.createShaderModule({ code: code.includes(known) ? empty : 'no WGSL' }),
      createComputePipelineAsync: (descriptor: GPUComputePipelineDescriptor) =>
        device.gpu.createComputePipelineAsync(descriptor),
    }) as unknown as GPUDevice;

  const programOf = () => {
    const square = float16Tensor(draw(64 * 64, 1), [64, 64]);
    const tile = tileOf([8, 8, 8, 1]);
    const [launch] = commandsOf(device, () => withGemmTile(tile, () => matMul(square, square)));
    return launch?.kind === 'launch' ? moduleSource(launch.kernel, launch.options, faultLibrary) : '';
  };

  afterAll(() => setDialect());

  test.each([
    ['the newest dialect', 'col_major>'],
    ['an older one, where the newest does not compile', ', true, '],
  ])('%s is taken', async (_, known) => {
    expect(await matrixSizeOf(deviceThatKnows(known))).toEqual([16, 16, 16, 32]);
    expect(programOf()).toContain(known);
  });

  test('what compiles none has no subgroup matrices, and leaves no error', async () => {
    expect(await matrixSizeOf(deviceThatKnows('another dialect'))).toBeNull();
  });
});

test("Chromium's dialect compiles, of every transposition", async () => {
  // Kept alive to the end, since collecting it would destroy its devices.
  const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
  const adapter = await gpu.requestAdapter();
  const other = await adapter?.requestDevice({ requiredFeatures: subgroupMatrixFeatures });
  if (!adapter || !other) throw new Error('Dawn has a null adapter');
  // Its subgroups have up to 128 invocations, of which workgroups must be multiples.
  const tile: GemmTile = { ...gemmTiles.large, memory: 'subgroupMatrix', matrixSize: [16, 16, 16, 128] };
  const sourcesOf = (transposeA: boolean, transposeB: boolean) => {
    const [a, b] = [
      float16Tensor(draw(128 * 128, 1), [128, 128]),
      float16Tensor(draw(128 * 128, 2), [128, 128]),
    ];
    const multiply = () => fusedMatMul(a, b, tensor(draw(128, 3)), { transposeA, transposeB });
    return commandsOf(device, () => withGemmTile(tile, multiply)).map((command) =>
      command.kind === 'launch' ? moduleSource(command.kernel, command.options, faultLibrary) : '',
    );
  };
  const sources = [false, true].flatMap((transposeA) =>
    [false, true].flatMap((transposeB) => sourcesOf(transposeA, transposeB)),
  );
  expect(sources.filter((source) => source.includes('subgroupMatrixMultiplyAccumulate'))).toHaveLength(4);
  sources.push(subgroupMatrixProbe(subgroupMatrixDialects[0] as SubgroupMatrixDialect, [16, 16, 16, 128]));
  for (const code of sources) {
    const module = other.createShaderModule({ code });
    const { messages } = await module.getCompilationInfo();
    expect(messages.map(({ message, lineNum }) => `${lineNum}: ${message}`)).toEqual([]);
    await other.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  }
  other.destroy();
});
