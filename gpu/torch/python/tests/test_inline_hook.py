"""Tests of what stands in for load_inline."""

from __future__ import annotations

import inspect
import json
import os
import tempfile
import unittest
from typing import Any

from hone_torch.inline_hook import BuildError, Hook, Literals, UnsupportedError, line_of_call
from hone_torch.wire import LOAD, Message

ANSWER = '''source = """
int f();
"""
raw = r"""one
two\\n"""
continued = """\\
first
second
"""
escaped = "a\\nb"
joined = "int g();" "int h();"
formatted = f"int {source};"
same = "x"
'''


class LiteralsTest(unittest.TestCase):
    """Where sources begin in an answer's text."""

    def test_lines(self) -> None:
        """The line of the first character, 0 where lines do not agree."""
        literals = Literals(ANSWER)
        for name, source, want in (
            ("begins with a line break", "\nint f();\n", 1),
            ("stripped", "int f();", 2),
            ("raw", "one\ntwo\\n", 4),
            ("continued", "first\nsecond\n", 7),
            ("escaped line break", "a\nb", 0),
            ("joined on one line", "int g();int h();", 11),
            ("formatted", "int \nint f();\n;", 0),
            ("of no literal", "int z();", 0),
            ("empty", "", 0),
        ):
            with self.subTest(name):
                self.assertEqual(literals.line_of(source), want)

    def test_no_python(self) -> None:
        """A text that does not parse has no literals."""
        self.assertEqual(Literals("def (").line_of("x"), 0)


class FakeChannel:
    """A judge that answers builds with what it was given."""

    def __init__(self, built: dict[str, Any]) -> None:
        self.built = built
        self.parts: list[dict[str, Any]] = []

    def answer(self, value: dict[str, Any]) -> None:
        """Take a part of a request."""
        self.parts.append(value["build"])

    def receive(self) -> Message:
        """Ask for more, or tell what was built."""
        value = {} if self.parts[-1]["more"] else {"built": self.built}
        return Message(LOAD, [["json", json.dumps(value)]], [])

    def request(self) -> dict[str, Any]:
        """The request that the parts make."""
        return json.loads("".join(part["part"] for part in self.parts))


class HookTest(unittest.TestCase):
    """Calls of load_inline and load that reach a fake judge."""

    def setUp(self) -> None:
        from hone_torch.inline_hook import extension_module

        self.module = extension_module()
        before = {name: getattr(self.module, name, None) for name in ("load_inline", "load")}
        self.load_inline = before["load_inline"]
        self.addCleanup(lambda: self.module.__dict__.update(before))
        self.channel = FakeChannel({"failed": "line 3: no", "unsupported": False})
        Hook(self.channel, __file__, 'cuda = """\nint f();\n"""\n').install()  # type: ignore[arg-type]

    def asked(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The request that a call of load_inline makes."""
        with self.assertRaises(BuildError) as raised:
            self.module.load_inline(*args, **kwargs)
        self.assertIn("line 3: no", str(raised.exception))
        return self.channel.request()

    def test_by_name(self) -> None:
        """All that matters to a build is passed on."""
        request = self.asked(
            name="m",
            cpp_sources=["int f();"],
            cuda_sources="\nint f();\n",
            functions={"f": "what it does"},
            extra_cuda_cflags=["-O3"],
            extra_cflags=["-Wall"],
            extra_ldflags=["-lm"],
            extra_include_paths=["/x"],
            verbose=True,
            with_cuda=True,
        )
        line = request.pop("line")
        self.assertGreater(line, 0)
        self.assertEqual(
            request,
            {
                "name": "m",
                "cpp": ["int f();"],
                "cuda": ["\nint f();\n"],
                "functions": ["f"],
                "cflags": ["-Wall"],
                "cuda_flags": ["-O3"],
                "ld_flags": ["-lm"],
                "includes": ["/x"],
                "cpp_lines": [2],
                "cuda_lines": [1],
            },
        )

    def test_by_place(self) -> None:
        """Arguments by place are those of torch's function, which has had others."""
        signature = inspect.signature(self.load_inline)
        given = {"name": "m", "cpp_sources": "int f();", "functions": "f"}
        places = [given.get(name) for name in signature.parameters]
        request = self.asked(*places[: list(signature.parameters).index("functions") + 1])
        self.assertEqual((request["cpp"], request["functions"]), (["int f();"], ["f"]))

    def test_sycl(self) -> None:
        """What is passed for another kind of device is no function of CUDA's."""
        if "sycl_sources" not in inspect.signature(self.load_inline).parameters:
            self.skipTest("this torch knows no SYCL")
        with self.assertRaisesRegex(BuildError, "name functions"):
            self.module.load_inline("m", "int f();", "\nint f();\n", ["f"])
        self.assertEqual(self.channel.parts, [])

    def test_long_sources_travel_in_parts(self) -> None:
        """A text of any length arrives whole."""
        text = 'int x = "\\"";\n' * 20000
        request = self.asked(name="m", cpp_sources="", cuda_sources=text)
        self.assertEqual(request["cuda"], [text])
        self.assertGreater(len(self.channel.parts), 5)
        self.assertTrue(all(len(json.dumps(part)) < 60 << 10 for part in self.channel.parts))

    def test_unsupported(self) -> None:
        """What only a GPU can run is no failed build."""
        self.channel.built["unsupported"] = True
        with self.assertRaises(UnsupportedError):
            self.module.load_inline("m", "")

    def test_files(self) -> None:
        """Load reads its sources, and tells CUDA from C++ by their names."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.cpp", "b.cu")]
            for path in paths:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"// {os.path.basename(path)}")
            with self.assertRaises(BuildError):
                self.module.load(name="m", sources=paths)
        request = self.channel.request()
        self.assertEqual((request["cpp"], request["cuda"]), (["// a.cpp"], ["// b.cu"]))

    def test_line_of_call(self) -> None:
        """The nearest frame of a file counts; of another file there is none."""
        self.assertGreater(line_of_call(__file__), 0)
        self.assertEqual(line_of_call("elsewhere.py"), 0)
