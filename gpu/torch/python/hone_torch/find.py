"""Prints what the judge has to know of this Python's torch, as the last line, in JSON."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import site
import sysconfig


def main() -> None:
    """Import torch and describe it; a missing one is described too."""
    found: dict[str, object] = {
        "python_version": platform.python_version(),
        "packages": [*site.getsitepackages(), site.getusersitepackages()],
    }
    try:
        import torch
    except Exception as error:  # noqa: BLE001 - an import may fail in any way
        found["missing"] = f"{type(error).__name__}: {error}"
        print(json.dumps(found))
        return
    folder = os.path.dirname(os.path.abspath(torch.__file__))
    include = os.path.join(folder, "include")
    api = os.path.join(include, "torch", "csrc", "api", "include")
    available = torch.cuda.is_available()
    found.update(
        torch=str(torch.__version__),
        cuda=torch.version.cuda or "",
        folder=folder,
        includes=[path for path in (include, api) if os.path.isdir(path)],
        libraries=[os.path.join(folder, "lib")],
        python_include=sysconfig.get_paths()["include"],
        extension=sysconfig.get_config_var("EXT_SUFFIX") or ".so",
        cxx11_abi=bool(torch._C._GLIBCXX_USE_CXX11_ABI),
        devices=torch.cuda.device_count() if available else 0,
        triton=importlib.util.find_spec("triton") is not None,
        compile=hasattr(torch, "compile"),
        user_site=site.getusersitepackages() if site.ENABLE_USER_SITE else "",
    )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
