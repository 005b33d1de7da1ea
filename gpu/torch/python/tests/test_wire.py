"""Tests of messages."""

from __future__ import annotations

import array
import os
import socket
import struct
import unittest

from hone_torch import wire


class ChannelTest(unittest.TestCase):
    """A channel whose other end is the test's."""

    def setUp(self) -> None:
        self.judge, ours = socket.socketpair()
        self.channel = wire.Channel(ours.detach())
        self.addCleanup(self.judge.close)

    def send(self, kind: int, body: bytes, descriptors: list[int]) -> None:
        """Send a request in small parts: a stream may arrive so."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        header = struct.pack("<II", len(body), kind)
        self.judge.sendmsg([header[:3]], rights if descriptors else [])
        self.judge.sendall(header[3:] + body)

    def received(self) -> tuple[int, bytes]:
        """Read one answer."""
        size, kind = struct.unpack("<II", self.judge.recv(8, socket.MSG_WAITALL))
        return kind, self.judge.recv(size, socket.MSG_WAITALL) if size else b""

    def test_a_request_arrives_with_its_descriptors(self) -> None:
        reader, writer = os.pipe()
        self.send(wire.MAP, b"set\t0\nbuffer\tx\n", [writer])
        got = self.channel.receive()
        assert got is not None
        self.assertEqual((got.kind, got.lines), (wire.MAP, [["set", "0"], ["buffer", "x"]]))
        os.write(got.descriptors[0], b"here")
        self.assertEqual(os.read(reader, 4), b"here")
        self.assertFalse(os.get_inheritable(got.descriptors[0]))
        got.close()
        for descriptor in (reader, writer):
            os.close(descriptor)

    def test_json_goes_both_ways(self) -> None:
        self.send(wire.CALL, b'json\t{"a":"\\t\\n"}\n', [])
        got = self.channel.receive()
        assert got is not None
        self.assertEqual(got.value(), {"a": "\t\n"})
        self.channel.answer({"b": "tab\tline\n\u00e9"})
        self.assertEqual(self.received(), (wire.OK, b'json\t{"b":"tab\\tline\\n\\u00e9"}\n'))

    def test_a_request_that_is_no_object_is_refused(self) -> None:
        for body in (b"", b"json\t[1]\n", b"json\t{}\njson\t{}\n", b"text\t{}\n", b"json\t{\n"):
            with self.subTest(body):
                self.send(wire.CALL, body, [])
                got = self.channel.receive()
                assert got is not None
                with self.assertRaises((ValueError, TypeError)):
                    got.value()

    def test_the_end_of_the_judge_is_none(self) -> None:
        self.judge.sendall(b"\x01\x00")
        self.judge.shutdown(socket.SHUT_WR)
        self.assertIsNone(self.channel.receive())

    def test_a_fault_is_bounded_and_one_line(self) -> None:
        self.channel.fault("reference", "a\tb\nc\x1b[31m " + "x" * 5000, 7)
        kind, body = self.received()
        lines = body.decode().split("\n")
        self.assertEqual((kind, lines[0], lines[2:]), (wire.FAULT, "kind\treference", ["line\t7", ""]))
        self.assertTrue(lines[1].startswith("message\ta b c [31m xxx"))
        self.assertLess(len(lines[1]), 1600)

    def test_what_no_message_can_hold_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            self.channel.answer({"long": "x" * wire.MAX_JSON})
        with self.assertRaises(ValueError):
            self.channel.answer(float("nan"))
        self.send(wire.CALL, b"x" * (wire.MAX_BODY + 1), [])
        with self.assertRaisesRegex(ValueError, "announces"):
            self.channel.receive()


if __name__ == "__main__":
    unittest.main()
