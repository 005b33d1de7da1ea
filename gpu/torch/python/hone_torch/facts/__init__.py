"""Prints the facts of a Python file's syntax tree that the rules for answers need, as one line of JSON.

Its program reads the file on stdin and runs none of it. It needs the standard library alone, so that it
starts in milliseconds (with -I -S). A file that is not Python gives {"error": {"line": 3, "column": 7, "message": "..."}}; else the keys are

  imports     name (in full), line, column
  uses        name, use (call, launch, load, store or delete), in (function), line, column
  operators   name ("@"), in, line, column
  statements  name ("try" or "pass"), in, line, column
  classes     name, bases (names), line, column
  functions   name, decorators (names), line, column
  builds      call ("load_inline" or "load"), functions (null: unknown), sources, line, column

A source is kind ("cpp" or "cuda"), text (null: unknown), exact, and runs that say which line of the file
a line of the text stands on. Columns count bytes from 1. What a name may look like:

  torch.relu      imported, with aliases, assignments and getattr followed to the full name
  exec            a builtin, or bound nowhere
  :Model.forward  defined in the file
  build:0.add     an attribute of what the first build returns
  self.weight     an attribute of self of unknown value
  ?.relu          an attribute of any other value
  getattr(torch)  an attribute whose name is not known; torch.* where one is stored

Names are followed without regard to order or conditions, and a build's number is its place in builds.
The body of `if __name__ == "__main__"` has no facts.
"""
