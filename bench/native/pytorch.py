"""The benchmark's rows in PyTorch on CUDA, TF32 off. Names and sizes are those of bench/rows on a GPU.

Each row is checked against float64 on the device before it is timed, but for training steps. Times are medians of CUDA
events, in milliseconds of one run; runs are repeated inside a sample so that the events don't hide them. Training steps are
measured in float32 and in float16 (autocast), as written and with torch.compile.
"""

import argparse
import datetime
import json
import re
import statistics
import sys
import time

import torch
import torch.nn.functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH = 8


def normal(*shape, scale=1.0):
    return torch.randn(*shape, device=DEVICE) * scale


def close(found, right, tolerance=1e-4):
    """The largest error, relative to the largest right value."""
    scale = right.abs().max().clamp_min(1e-30)
    error = ((found.double() - right).abs().max() / scale).item()
    if not error <= tolerance:
        raise ArithmeticError(f"wrong by {error:.1e}")


class Row:
    """A computation of tensors; `inputs` are made when the row is run."""

    def __init__(self, name, inputs, compute, flops=0, check=True, tolerance=1e-4):
        self.name = name
        self.inputs = inputs
        self.compute = compute
        self.flops = flops
        self.check = check
        self.tolerance = tolerance

    def run(self, budget):
        inputs = self.inputs()
        if self.check:
            as_double = [x.double() if x.is_floating_point() else x for x in inputs]
            close(self.compute(*inputs), self.compute(*as_double), self.tolerance)
        return measure(lambda: self.compute(*inputs), budget)


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def timed(run, repeats):
    """Milliseconds of a run: by events of the GPU, on a CPU by the clock."""
    if DEVICE == "cpu":
        start = time.perf_counter()
        for _ in range(repeats):
            run()
        return 1000 * (time.perf_counter() - start) / repeats
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(repeats):
        run()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / repeats


def measure(run, budget):
    """Median milliseconds of a run, with half the distance of the quartiles relative to it."""
    for _ in range(3):
        run()
    wait()
    once = max(timed(run, 1), 1e-3)
    repeats = max(1, min(256, round(5 / once)))
    count = max(5, min(200, round(budget / (once * repeats))))
    samples = sorted(timed(run, repeats) for _ in range(count))
    median = statistics.median(samples)
    quartiles = samples[(3 * count) // 4] - samples[count // 4]
    return median, quartiles / 2 / median


def products():
    shapes = [
        *((n, n, n, "square") for n in (256, 512, 1024, 2048, 4096)),
        (8192, 64, 64, "tall"),
        (64, 64, 8192, "wide"),
        (64, 8192, 64, "long sums"),
        (521, 509, 503, "prime"),
        (2048, 2048, 1, "with a vector"),
        (1, 2048, 2048, "of a vector"),
    ]
    for m, k, n, what in shapes:
        yield Row(
            f"matMul {m}×{k}×{n} {what}",
            lambda m=m, k=k, n=n: [normal(m, k), normal(k, n)],
            torch.matmul,
            flops=2 * m * k * n,
        )
    yield Row(
        "matMul 16×128×128×128 batched",
        lambda: [normal(16, 128, 128), normal(16, 128, 128)],
        torch.matmul,
        flops=2 * 16 * 128**3,
    )
    transposed = {
        "a transposed": lambda a, b: a.T @ b,
        "b transposed": lambda a, b: a @ b.T,
        "both transposed": lambda a, b: a.T @ b.T,
    }
    for what, compute in transposed.items():
        yield Row(
            f"matMul 512×512×512 {what}", lambda: [normal(512, 512), normal(512, 512)], compute, flops=2 * 512**3
        )


def dense():
    for m in (64, 4096):
        yield Row(
            f"dense {m}×1024→1024 + bias + relu",
            lambda m=m: [normal(m, 1024), normal(1024, 1024, scale=1 / 32), normal(1024)],
            lambda x, w, b: F.relu(torch.addmm(b, x, w)),
            flops=2 * m * 1024 * 1024,
        )


def convolutions():
    """Channels last, as Retrograd's are; 'same' padding of TensorFlow."""
    layers = [
        (224, 3, 64, "VGG 3×3", 3, 1, 1),
        (224, 64, 64, "VGG 3×3", 3, 1, 1),
        (112, 128, 128, "VGG 3×3", 3, 1, 1),
        (56, 256, 256, "VGG 3×3", 3, 1, 1),
        (28, 512, 512, "VGG 3×3", 3, 1, 1),
        (56, 256, 64, "1×1", 1, 1, 1),
        (224, 3, 64, "7×7 stride 2", 7, 2, 1),
        (56, 256, 256, "dilated 3×3", 3, 1, 2),
    ]
    last = torch.channels_last
    for size, inputs, outputs, what, kernel, stride, dilation in layers:
        result = -(-size // stride)
        reach = (kernel - 1) * dilation + 1
        total = max(0, (result - 1) * stride + reach - size)
        before, after = total // 2, total - total // 2
        flops = 2 * BATCH * result**2 * kernel**2 * inputs * outputs
        name = f"conv {BATCH}×{size}² {inputs}→{outputs} {what}"
        # An uneven padding is part of the image: cuDNN pads both sides alike.
        even = before == after
        padded = size if even else size + total
        padding = before if even else 0
        options = dict(stride=stride, padding=padding, dilation=dilation)

        def image(padded=padded, inputs=inputs):
            return normal(BATCH, inputs, padded, padded).to(memory_format=last)

        def cotangent(result=result, outputs=outputs):
            return normal(BATCH, outputs, result, result).to(memory_format=last)

        def weights(inputs=inputs, outputs=outputs, kernel=kernel):
            return normal(outputs, inputs, kernel, kernel, scale=0.1).to(memory_format=last)

        yield Row(
            f"{name}, forward",
            lambda image=image, weights=weights: [image(), weights()],
            lambda x, w, options=options: F.conv2d(x, w, **options),
            flops=flops,
        )
        if what == "1×1":
            continue
        yield Row(
            f"{name}, input gradient",
            lambda cotangent=cotangent, weights=weights: [cotangent(), weights()],
            lambda dy, w, options=options, inputs=inputs, padded=padded: torch.nn.grad.conv2d_input(
                (BATCH, inputs, padded, padded), w, dy, **options
            ),
            flops=flops,
        )
        yield Row(
            f"{name}, filter gradient",
            lambda cotangent=cotangent, image=image: [image(), cotangent()],
            lambda x, dy, options=options, shape=(outputs, inputs, kernel, kernel): torch.nn.grad.conv2d_weight(
                x, shape, dy, **options
            ),
            flops=flops,
            tolerance=3e-4,
        )
    yield Row(
        f"conv {BATCH}×112² 128 depthwise 3×3, forward",
        lambda: [normal(BATCH, 128, 112, 112).to(memory_format=last), normal(128, 1, 3, 3, scale=0.1)],
        lambda x, w: F.conv2d(x, w, padding=1, groups=128),
        flops=2 * BATCH * 112**2 * 9 * 128,
    )


def ids(count, limit, how):
    uniform = torch.rand(count, device=DEVICE)
    drawn = limit**uniform - 1 if how == "zipf" else uniform * limit
    return drawn.long().clamp(0, limit - 1)


def gathers():
    count, vocabulary = 262_144, 262_144
    for rows, width, n, how in [
        (vocabulary, 64, count, "uniform"),
        (vocabulary, 64, count, "zipf"),
        (1000, 1024, count // 16, "uniform"),
        (vocabulary, 1, 2 * count, "uniform"),
    ]:
        yield Row(
            f"gather {rows}×{width}, {n} ids, {how}",
            lambda rows=rows, width=width, n=n, how=how: [normal(rows, width), ids(n, rows, how)],
            lambda table, i: table.index_select(0, i),
        )
    for rows, width, how in [(1000, 64, "zipf"), (vocabulary, 16, "uniform")]:
        yield Row(
            f"scatter-add {count} into {rows}×{width}, {how}",
            lambda rows=rows, width=width, how=how: [ids(count, rows, how), normal(count, width)],
            lambda i, updates, rows=rows: torch.zeros(
                rows, updates.shape[1], device=DEVICE, dtype=updates.dtype
            ).index_add_(0, i, updates),
        )


def normalizations():
    yield Row("softmax 8192×4096", lambda: [normal(8192, 4096, scale=2)], lambda x: F.softmax(x, -1))
    yield Row(
        "layerNorm 8192×4096",
        lambda: [normal(8192, 4096, scale=2), normal(4096), normal(4096)],
        lambda x, gamma, beta: F.layer_norm(x, (4096,), gamma, beta, 1e-3),
    )
    shape = (64, 1024, 512)
    text = "×".join(map(str, shape))
    for axis in (0, 1, 2):
        yield Row(f"sum {text}, axis {axis}", lambda: [normal(*shape)], lambda x, axis=axis: x.sum(axis))
    yield Row(f"sum {text}, all axes", lambda: [normal(*shape)], lambda x: x.sum(), tolerance=1e-3)
    yield Row(f"mean {text}, axis 1", lambda: [normal(*shape)], lambda x: x.mean(1))
    yield Row(f"max {text}, axis 2", lambda: [normal(*shape)], lambda x: x.amax(2))


def elementwise():
    n = 2**24
    yield Row(f"add {n}", lambda: [normal(n), normal(n)], torch.add)
    yield Row(
        f"bias + relu {n // 1024}×1024",
        lambda: [normal(n // 1024, 1024), normal(1024)],
        lambda x, b: F.relu(x + b),
    )
    yield Row(
        f"elementwise chain of 7 ops, {n}",
        lambda: [normal(n), normal(n)],
        torch.compile(lambda x, y: torch.tanh(x * y + x) * torch.sigmoid(y) - x * x),
    )


class Perceptron(torch.nn.Sequential):
    def __init__(self, sizes):
        layers = [m for a, b in zip(sizes, sizes[1:]) for m in (torch.nn.Linear(a, b), torch.nn.ReLU())]
        super().__init__(*layers[:-1])


class Lstm(torch.nn.Module):
    def __init__(self, inputs, units, classes):
        super().__init__()
        self.lstm = torch.nn.LSTM(inputs, units)
        self.head = torch.nn.Linear(units, classes)

    def forward(self, x):
        return self.head(self.lstm(x)[0][-1])


def convolutional():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(32 * 49, 10),
    )


class Block(torch.nn.Module):
    """A language model of one block: GPT-2-small's."""

    def __init__(self, vocabulary=1024, length=1024, width=768, heads=12):
        super().__init__()
        self.heads = heads
        self.tokens = torch.nn.Embedding(vocabulary, width)
        self.positions = torch.nn.Parameter(0.5 * torch.randn(length, width))
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width, eps=1e-3) for _ in range(2))
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.projection = torch.nn.Linear(width, width)
        self.expansion = torch.nn.Linear(width, 4 * width)
        self.contraction = torch.nn.Linear(4 * width, width)
        self.head = torch.nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.norms[0](x)).chunk(3, -1)
        )
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(attended.transpose(1, 2).reshape(batch, length, width))
        x = x + self.contraction(F.gelu(self.expansion(self.norms[1](x)), approximate="tanh"))
        return self.head(x).view(batch * length, -1)


# What is appended to the names of rows: whether the model is compiled, and the dtype of products.
VARIANTS = {
    "": (False, None),
    ", float16": (False, torch.float16),
    ", torch.compile": (True, None),
    ", float16, torch.compile": (True, torch.float16),
}


def autocast(dtype):
    return torch.autocast(DEVICE, dtype=dtype, enabled=dtype is not None)


def training(name, make, batch, classes=10):
    """A step of gradient descent with momentum; as written and compiled, in float32 and in float16."""
    for suffix, (compiled, dtype) in VARIANTS.items():

        def inputs(compiled=compiled):
            model = make().to(DEVICE)
            x = batch()
            rows = model(x).shape[0]
            wanted = torch.randint(classes, (rows,), device=DEVICE)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
            forward = torch.compile(model) if compiled else model
            return [forward, optimizer, x, wanted]

        def step(model, optimizer, x, wanted, dtype=dtype):
            optimizer.zero_grad(set_to_none=True)
            with autocast(dtype):
                loss = F.cross_entropy(model(x), wanted)
            loss.backward()
            optimizer.step()
            return loss

        yield Row(f"{name}{suffix}", inputs, step, check=False)


def steps():
    yield from training("MLP step 784-512-256-10, batch 128", lambda: Perceptron([784, 512, 256, 10]), lambda: normal(128, 784))
    yield from training("CNN step 28²×1, 16-32 filters, batch 128", convolutional, lambda: normal(128, 1, 28, 28))
    yield from training("LSTM step 64 steps, 128→256, batch 64", lambda: Lstm(128, 256, 10), lambda: normal(64, 64, 128))
    yield from training(
        "transformer step 1 × 768, 12 heads, batch 1×1024",
        Block,
        lambda: torch.randint(1024, (1, 1024), device=DEVICE),
        classes=1024,
    )


def perceptual():
    """VGG19 up to block4_conv2, random weights and targets; the gradient goes to the image."""
    blocks = [[64, 64], [128, 128], [256, 256, 256, 256], [512, 512]]
    size = 256
    last = torch.channels_last

    def inputs():
        weights, channels = [], 3
        for filters in (f for block in blocks for f in block):
            w = normal(filters, channels, 3, 3, scale=(2 / (9 * channels)) ** 0.5)
            weights.append((w.to(memory_format=last), normal(filters, scale=0.01)))
            channels = filters
        image = normal(1, 3, size, size).to(memory_format=last).requires_grad_()
        wanted = [
            normal(1, block[0], size >> i, size >> i).to(memory_format=last) for i, block in enumerate(blocks)
        ]
        return [image, weights, wanted]

    def features(x, weights):
        found, index = [], 0
        for i, block in enumerate(blocks):
            x = F.max_pool2d(x, 2) if i else x
            for j in range(len(block)):
                x = F.relu(F.conv2d(x, *weights[index], padding=1))
                index += 1
                if j == 1:
                    found.append(x)
        return found

    def loss_of(image, weights, wanted):
        return sum(F.mse_loss(a.float(), b) for a, b in zip(features(image, weights), wanted))

    for suffix, (compiled, dtype) in VARIANTS.items():
        loss_function = torch.compile(loss_of) if compiled else loss_of

        def step(image, weights, wanted, loss_function=loss_function, dtype=dtype):
            with autocast(dtype):
                loss = loss_function(image, weights, wanted)
            (gradient,) = torch.autograd.grad(loss, image)
            with torch.no_grad():
                image -= gradient
            return loss

        yield Row(f"VGG19 perceptual step {size}², gradient to the image{suffix}", inputs, step, check=False)


def attention():
    def inputs():
        return [normal(1, 12, 1024, 64) for _ in range(3)]

    yield Row(
        "causal attention 1×1024×12×64",
        inputs,
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    )


def overhead():
    def chain(x, w, b):
        for _ in range(500):
            x = x * w + b
        return x

    def inputs():
        return [normal(1024), 1 + normal(1024, scale=1e-3), normal(1024, scale=1e-3)]

    yield Row("1000 chained ops of 1024, op by op", inputs, chain)


FAMILIES = [
    products,
    dense,
    convolutions,
    gathers,
    normalizations,
    elementwise,
    overhead,
    attention,
    steps,
    perceptual,
]
OPS = {"1000 chained ops of 1024, op by op": 1000}


def result_of(row, budget):
    """The row as in the result's JSON. One that fails doesn't cost another."""
    try:
        median, spread = row.run(budget)
    except Exception as error:
        return {"name": row.name, "unit": "ms", "pytorch": None, "note": f"failed: {error}".splitlines()[0]}
    ops = OPS.get(row.name)
    value, unit = (1000 * median / ops, "µs/op") if ops else (median, "ms")
    return {"name": row.name, "unit": unit, "pytorch": value, "spread": spread, "flops": row.flops}


def text_of(result):
    """A line for the terminal."""
    name, unit, value = result["name"], result["unit"], result["pytorch"]
    if value is None:
        return f"{name:60} {result['note']}"
    rate = f"{result['flops'] / value / 1e9:8.2f} TFLOP/s" if result["flops"] and unit == "ms" else ""
    return f"{name:60} {value:10.4f} {unit} ± {100 * result['spread']:.0f} %  {rate}"


def setting():
    name = torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU"
    engine = f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
    return {"adapter": name, "engine": engine, "date": datetime.date.today().isoformat(), "tf32": False}


def main():
    global DEVICE
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="", help="a part of the names of rows")
    parser.add_argument("--match", default="", help="a regular expression for names of rows")
    parser.add_argument("--budget", type=float, default=400, help="milliseconds of a row")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="cpu is to try the script out")
    parser.add_argument("--json", help="a file for the result")
    parser.add_argument("--lines", action="store_true", help="prints each row as a line of JSON when it is measured")
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("A CUDA device is needed. Received: none.")
    DEVICE = options.device
    if options.lines:
        found = setting()
        print(json.dumps({"setting": f"{found['engine']}, {found['adapter']}, TF32 off"}), flush=True)
    rows = []
    for family in FAMILIES:
        for row in family():
            if options.filter not in row.name or not re.search(options.match, row.name):
                continue
            result = result_of(row, options.budget)
            rows.append(result)
            if options.lines:
                print(json.dumps(result, ensure_ascii=False), flush=True)
            else:
                print(text_of(result), file=sys.stderr)
    text = json.dumps({**setting(), "rows": rows}, indent=2, ensure_ascii=False)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    elif not options.lines:
        print(text)


if __name__ == "__main__":
    main()
