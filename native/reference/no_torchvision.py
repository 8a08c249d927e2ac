"""Import before transformers: hides a torchvision that does not fit the installed torch (nothing here needs one)."""

import importlib.util

_find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest, **named: (
    None if name.split(".")[0] == "torchvision" else _find_spec(name, *rest, **named)
)
