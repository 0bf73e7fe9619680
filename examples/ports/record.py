"""Runs the oracles and prints their curves as JSON, by name; `--write` writes curves.json.

    python examples/ports/record.py [--write] [NAME ...]
"""

import importlib
import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
HERE = pathlib.Path(__file__).parent
SHARED = {"cart_pole", "formula", "record"}


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    recorded = HERE / "curves.json"
    curves = json.loads(recorded.read_text()) if names and recorded.exists() else {}
    for name in names or sorted(path.stem for path in HERE.glob("*.py") if path.stem not in SHARED):
        found = importlib.import_module(name).run()
        curves[name] = {key: [float(f"{float(value):.8g}") for value in values] for key, values in found.items()}
    text = json.dumps(dict(sorted(curves.items())))
    if "--write" in sys.argv:
        recorded.write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
