"""PyTorch's side of `npm run test:keras`: saves random networks of torchvision, with what they compute in float64.

    python torchvision_side.py FOLDER

FOLDER holds `networks.json`: for each network, the file, the function of torchvision with its options, the module before
the head, and the size of pictures. Each gets its state dictionary and `NAME.io.safetensors` with `x`, `features`, `y`.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import save_file

# Its operators are not needed; their registration fails where its binary is of another build than torch.
register_fake, torch.library.register_fake = torch.library.register_fake, lambda *_, **__: lambda fn: fn
import torchvision  # noqa: E402

torch.library.register_fake = register_fake

folder = pathlib.Path(sys.argv[1])


def random_statistics(net):
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            torch.nn.init.normal_(module.bias, std=0.2)
            torch.nn.init.normal_(module.running_mean, std=0.2)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)


def make(index, case):
    torch.manual_seed(index)
    net = getattr(torchvision.models, case["function"])(weights=None, **case["options"]).eval()
    random_statistics(net)
    path = folder / case["file"]
    state = net.state_dict()
    save_file(state, path) if path.suffix == ".safetensors" else torch.save(state, path)
    found = {}
    net.get_submodule(case["features"]).register_forward_hook(lambda _, __, output: found.update(features=output))
    x = torch.randn(1, 3, case["size"], case["size"])
    with torch.no_grad():
        y = net.double()(x.double())
    last = {"x": x, "features": found["features"]}
    files = {name: value.permute(0, 2, 3, 1).float().contiguous() for name, value in last.items()}
    save_file({**files, "y": y.float()}, folder / f"{path.stem}.io.safetensors")


for index, case in enumerate(json.loads((folder / "networks.json").read_text())):
    make(index, case)
