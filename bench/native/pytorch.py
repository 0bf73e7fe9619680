"""The benchmark's rows in PyTorch on CUDA, TF32 off. Names and sizes are those of bench/rows on a GPU.

Each row is checked against float64 on the device before it is timed. Times are medians of CUDA events, in milliseconds of
one run; runs are repeated inside a sample so that the events don't hide them.
"""

import argparse
import datetime
import json
import statistics
import sys

import torch
import torch.nn.functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
DEVICE = "cuda"
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


def measure(run, budget):
    """Median milliseconds of a run, with half the distance of the quartiles relative to it."""
    for _ in range(3):
        run()
    torch.cuda.synchronize()

    def sample(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(repeats):
            run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / repeats

    once = max(sample(1), 1e-3)
    repeats = max(1, min(256, round(5 / once)))
    count = max(5, min(200, round(budget / (once * repeats))))
    samples = sorted(sample(repeats) for _ in range(count))
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


def training(name, make, batch):
    """A step of gradient descent with momentum; as written, and compiled."""
    for compiled in (False, True):

        def inputs(compiled=compiled):
            model = make().to(DEVICE)
            x = batch()
            rows = x.shape[1] if isinstance(model, Lstm) else x.shape[0]
            wanted = torch.randint(10, (rows,), device=DEVICE)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
            forward = torch.compile(model) if compiled else model
            return [forward, optimizer, x, wanted]

        def step(model, optimizer, x, wanted):
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x), wanted)
            loss.backward()
            optimizer.step()
            return loss

        yield Row(f"{name}, torch.compile" if compiled else name, inputs, step, check=False)


def steps():
    yield from training("MLP step 784-512-256-10, batch 128", lambda: Perceptron([784, 512, 256, 10]), lambda: normal(128, 784))
    yield from training("CNN step 28²×1, 16-32 filters, batch 128", convolutional, lambda: normal(128, 1, 28, 28))
    yield from training("LSTM step 64 steps, 128→256, batch 64", lambda: Lstm(128, 256, 10), lambda: normal(64, 64, 128))


def perceptual():
    """VGG19 up to block4_conv2, random weights; the gradient goes to the image."""
    blocks = [[64, 64], [128, 128], [256, 256, 256, 256], [512, 512]]

    def inputs():
        weights, channels = [], 3
        for filters in (f for block in blocks for f in block):
            w = normal(filters, channels, 3, 3, scale=(2 / (9 * channels)) ** 0.5)
            weights.append((w.to(memory_format=torch.channels_last), normal(filters, scale=0.01)))
            channels = filters
        image = normal(1, 3, 224, 224).to(memory_format=torch.channels_last).requires_grad_()
        with torch.no_grad():
            wanted = features(normal(1, 3, 224, 224), weights)
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

    def step(image, weights, wanted):
        loss = sum(F.mse_loss(a, b) for a, b in zip(features(image, weights), wanted))
        (gradient,) = torch.autograd.grad(loss, image)
        with torch.no_grad():
            image -= gradient
        return loss

    yield Row("VGG19 perceptual step 224², gradient to the image", inputs, step, check=False)


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
    steps,
    perceptual,
]
OPS = {"1000 chained ops of 1024, op by op": 1000}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="")
    parser.add_argument("--budget", type=float, default=400, help="milliseconds of a row")
    parser.add_argument("--json", help="a file for the result")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("A CUDA device is needed. Received: none.")
    rows = []
    for family in FAMILIES:
        for row in family():
            if options.filter not in row.name:
                continue
            try:
                median, spread = row.run(options.budget)
            except Exception as error:  # One row doesn't cost another.
                print(f"{row.name:60} failed: {error}", file=sys.stderr)
                rows.append({"name": row.name, "unit": "ms", "pytorch": None, "note": f"failed: {error}"})
                continue
            ops = OPS.get(row.name)
            value, unit = (1000 * median / ops, "µs/op") if ops else (median, "ms")
            rate = f"{row.flops / median / 1e9:8.2f} TFLOP/s" if row.flops else ""
            print(f"{row.name:60} {value:10.4f} {unit} ± {100 * spread:.0f} %  {rate}", file=sys.stderr)
            rows.append({"name": row.name, "unit": unit, "pytorch": value, "spread": spread, "flops": row.flops})
    result = {
        "adapter": torch.cuda.get_device_name(),
        "engine": f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}",
        "date": datetime.date.today().isoformat(),
        "tf32": False,
        "rows": rows,
    }
    text = json.dumps(result, indent=2, ensure_ascii=False)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
