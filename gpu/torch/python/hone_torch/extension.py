"""Builds what an answer passes to load_inline with torch's own builder.

Run as `python -m hone_torch.extension <request.json>`. The module is built and never
imported: its text belongs to an answer, which runs in a contained process alone. The
last line that is printed is the module's path.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from torch.utils import cpp_extension


def _path_instead_of_import(name: str, path: str, is_python_module: bool) -> str:
    return os.path.join(path, name + cpp_extension.LIB_EXT)


def build(request: dict[str, Any]) -> str:
    """Returns the path of the module. The flags are checked by the caller."""
    cpp_extension._import_module_from_library = _path_instead_of_import
    built = cpp_extension.load_inline(
        name=request["name"],
        cpp_sources=request["cpp"],
        cuda_sources=request["cuda"] or None,
        functions=request["functions"] or None,
        extra_cflags=request["cflags"],
        extra_cuda_cflags=request["cuda_flags"],
        extra_ldflags=request["ldflags"],
        build_directory=request["folder"],
        with_cuda=bool(request["cuda"]),
        verbose=False,
    )
    return str(built)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        print(build(request))
    except RuntimeError as error:
        # torch puts what the compilers said into the message.
        print(error, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
