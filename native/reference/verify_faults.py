"""Does `whetstone verify` fail when one side is wrong? Plants one fault after the other into the Python side and runs it.

usage: verify_faults.py MODEL ROWS [--rows 20] [--dtype float32] [--threads 1] [--only NAME]

Run it with the interpreter that is to be compared with (torch, transformers, peft, pillow). For each fault it writes a small program that starts this
interpreter on verify.py with the fault planted, gives it to `whetstone verify` as --python, and prints what the summary said. The first line has no fault and
has to pass; every other one has to fail, and say what of. Ends with status 1 where that is not so. The data folder is a temporary one.
"""

import argparse
import os
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

# What is done to the module's functions before it begins, and what has to be found.
FAULTS = {
    "none": ("", None),
    "chat template: one more space at the end": ("wrap('open_processor', lambda f: lambda folder: (f(folder), setattr(g['processor'], 'chat_template', g['processor'].chat_template + '{{ chr }}'.replace('chr', repr(' '))))[0])", "ids"),
    "thinking left on": ("wrap('open_processor', lambda f: lambda folder: (f(folder), thinking_on(g['processor']))[0])", "ids"),
    "action mask off by one": ("wrap('action_mask', lambda f: lambda target, n: (lambda m: m[1:] + m[-1:])(f(target, n)))", "mask"),
    "pixels of Pillow's resize": ("wrap('open_processor', lambda f: lambda folder: (f(folder), g.__setitem__('with_torchvision', True))[0])", "pixels"),
    "adapter scaled by 1.01": ("wrap('open_model', lambda f: lambda r: (f(r), [m.scaling.update(default=m.scaling['default'] * 1.01) for m in g['model'].modules() if isinstance(getattr(m, 'scaling', None), dict)])[0])", "gradients"),
    "adapter: one lora_B 1 % larger": ("wrap('open_model', lambda f: lambda r: (f(r), [p for k, p in g['trained']().items() if 'lora_B' in k][-1].data.mul_(1.01))[0])", "gradients"),
    "M-RoPE without its image part": ("wrap('encode', lambda f: lambda place: (lambda a: (a[0]['mm_token_type_ids'].zero_(), a)[1])(f(place)))", None),
    "loss: mask ignored by KL": ("wrap('term_sum', lambda f: lambda role, lp, ref, w: f(role, lp, ref, w * 0 + 1 if role['term'] == 'k3' else w))", "loss"),
    "loss: KL the other way round": ("wrap('term_sum', lambda f: lambda role, lp, ref, w: f(role, ref + (lp * 0), lp, w) if role['term'] == 'k3' else f(role, lp, ref, w))", "gradients"),
    "log-probs one position early": ("wrap('log_probs', lambda f: lambda inputs, n: f(inputs, n).roll(1))", "log-probs"),
    "one weight of the base 1 % larger": ("wrap('open_model', lambda f: lambda r: (f(r), [p for k, p in g['model'].named_parameters() if k.endswith('down_proj.base_layer.weight')][0].data.mul_(1.01))[0])", "log-probs"),
}  # fmt: skip

# In bfloat16 some faults are found otherwise, or lie below the noise ("passes").
IN_BFLOAT16 = {"adapter scaled by 1.01": "scale", "adapter: one lora_B 1 % larger": "passes", "one weight of the base 1 % larger": "scale"}
# Do not depend on the dtype: planted in float32 alone.
ENCODED = {"ids", "mask", "pixels"}


def start(name):
    """verify.py with a fault: this process is the --python of whetstone verify."""
    g = runpy.run_path(str(HERE / "verify.py"), run_name="verify")["main"].__globals__

    def wrap(function, by):
        g[function] = by(g[function])
        g["doings"].update(model=lambda request: g["open_model"](request), processor=lambda request: g["open_processor"](request["folder"]))

    def thinking_on(processor):
        render = processor.apply_chat_template
        processor.apply_chat_template = lambda conversation, **more: render(conversation, **{**more, "enable_thinking": True})

    exec(FAULTS[name][0], {"g": g, "wrap": wrap, "thinking_on": thinking_on})
    g["main"]()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("rows")
    parser.add_argument("--rows", dest="count", type=int, default=20)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="")
    a = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        program = Path(temporary) / "python"
        environment = {**os.environ, "WHETSTONE_DATA": str(Path(temporary) / "data")}
        for name, (_, expected) in FAULTS.items():
            if a.dtype == "bfloat16":
                expected = IN_BFLOAT16.get(name, expected)
            if a.only not in name or (a.dtype == "bfloat16" and expected in ENCODED):
                continue
            program.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).resolve()))} --planted {shlex.quote(name)}\n")
            program.chmod(0o755)
            command = ["node", str(HERE.parents[1] / "bin/whetstone.js"), "verify", "--model", a.model, "--rows", a.rows, "--python", str(program)]
            command += ["--n", str(a.count), "--dtype", a.dtype, "--threads", str(a.threads)]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            lines = done.stdout.strip().splitlines()
            failing = [line for line in lines if line.startswith("FAIL")]
            good = done.returncode == 0 if name == "none" or expected == "passes" else done.returncode == 1 and bool(failing) and (expected is None or any(f"{expected}:" in line for line in failing))
            if not good:
                wrong.append(name)
            errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
            print(f"{'as wanted' if good else 'WRONG':9}  {name}: {[*lines[-1:], *errors][-1]}", flush=True)
            if failing:
                print(f"{'':11}{re.sub(r' +', ' ', failing[0])}", flush=True)
    sys.exit(f"not as wanted: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--planted"]:
        start(sys.argv[2])
    else:
        main()
