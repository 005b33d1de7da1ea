"""Compiles with NVRTC for tests: one JSON request a line in, one answer a line out.

It looks for the library of the toolkit or of the nvidia-cuda-nvrtc package, says
{"version", "includes"} or {"error"} first, and needs no GPU.
"""

import ctypes
import glob
import json
import os
import sys


def folders():
    for path in [
        os.environ.get("HONE_CUDA", ""),
        os.environ.get("CUDA_HOME", ""),
        "/usr/local/cuda",
        *sys.path,
    ]:
        if path:
            yield path
            yield from glob.glob(os.path.join(path, "nvidia", "cu1*"))


def find():
    for folder in folders():
        for lib in ("lib", "lib64"):
            for path in sorted(glob.glob(os.path.join(folder, lib, "libnvrtc.so.*"))):
                for builtins in glob.glob(os.path.join(os.path.dirname(path), "libnvrtc-builtins.so.*")):
                    ctypes.CDLL(builtins, mode=ctypes.RTLD_GLOBAL)
                include = os.path.join(folder, "include")
                return ctypes.CDLL(path), [include, os.path.join(include, "cccl")]
    return None, []


def text(lib, prog, size_call, call):
    size = ctypes.c_size_t()
    getattr(lib, size_call)(prog, ctypes.byref(size))
    raw = ctypes.create_string_buffer(size.value)
    getattr(lib, call)(prog, raw)
    return raw.raw


def compile_one(lib, ask):
    prog = ctypes.c_void_p()
    lib.nvrtcCreateProgram(ctypes.byref(prog), ask["source"].encode(), ask["name"].encode(), 0, None, None)
    for e in ask["expressions"]:
        lib.nvrtcAddNameExpression(prog, e.encode())
    options = (ctypes.c_char_p * len(ask["options"]))(*[o.encode() for o in ask["options"]])
    failed = lib.nvrtcCompileProgram(prog, len(ask["options"]), options)
    log = (
        text(lib, prog, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").rstrip(b"\0").decode(errors="replace")
    )
    answer = {"log": log, "cubin": "", "lowered": {}}
    if not failed:
        answer["cubin"] = text(lib, prog, "nvrtcGetCUBINSize", "nvrtcGetCUBIN").hex()
        for e in ask["expressions"]:
            name = ctypes.c_char_p()
            if lib.nvrtcGetLoweredName(prog, e.encode(), ctypes.byref(name)) == 0:
                answer["lowered"][e] = name.value.decode()
    lib.nvrtcDestroyProgram(ctypes.byref(prog))
    return answer


def main():
    lib, includes = find()
    if lib is None:
        print(
            json.dumps(
                {"error": "no libnvrtc: pip install nvidia-cuda-nvrtc, or set HONE_CUDA to a toolkit"}
            ),
            flush=True,
        )
        return
    major, minor = ctypes.c_int(), ctypes.c_int()
    lib.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    print(json.dumps({"version": f"{major.value}.{minor.value}", "includes": includes}), flush=True)
    for line in sys.stdin:
        print(json.dumps(compile_one(lib, json.loads(line))), flush=True)


main()
