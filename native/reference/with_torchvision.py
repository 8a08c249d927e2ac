"""Import before transformers: makes the Python part of torchvision load where its binary part is for another torch.

Without a torchvision that loads, transformers quietly takes the Pillow variant of its image processor, whose resizing differs by one level in places.
The operators that the Python part registers meta functions for are declared without bodies; the image processor uses none of them. Scripts that import
this assert the class of the processor that they got.
"""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import torch


def declare_missing_operators():
    folder = Path(find_spec("torchvision").origin).parent
    source = (folder / "_meta_registrations.py").read_text()
    names = set(re.findall(r"torchvision::(\w+)", source)) | set(re.findall(r'register_meta\("(\w+)"\)', source))
    library = torch.library.Library("torchvision", "DEF")
    for name in sorted(names):
        library.define(f"{name}(Tensor a) -> Tensor")
    return library


try:
    import torchvision  # noqa: F401
except RuntimeError as error:
    if "torchvision::" not in str(error):
        raise
    for module in [m for m in sys.modules if m.startswith("torchvision")]:
        del sys.modules[module]
    kept_alive = declare_missing_operators()
    import torchvision  # noqa: F401


def assert_torchvision_processor(processor_class):
    """Not the Pillow variant, under whichever of its names."""
    assert "Pil" not in processor_class.__name__, processor_class
    assert any(base.__name__ in ("TorchvisionBackend", "BaseImageProcessorFast") for base in processor_class.__mro__), processor_class.__mro__
