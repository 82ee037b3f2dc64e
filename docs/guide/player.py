#!/usr/bin/env python3
"""A player for general games in about 80 lines: it makes the first of its legal moves.

It keeps the moves of a match and asks `ludex show state` which position they lead to. Needs nothing
but Python's standard library, and the program ludex (on the PATH, or named by LUDEX).
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer

LUDEX = os.environ.get("LUDEX", "ludex")


def read(text):
    """Reads a message: a list of words and lists."""
    open_lists = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text)):
        if token == "(":
            open_lists.append([])
        elif token == ")" and len(open_lists) > 1:
            done = open_lists.pop()
            open_lists[-1].append(done)
        elif token != ")":
            open_lists[-1].append(token)
    return open_lists[0][0] if open_lists[0] else []


def write(term):
    return term if isinstance(term, str) else "(" + " ".join(map(write, term)) + ")"


class Match:
    """The rules of a match in a file, and the moves so far."""

    def __init__(self, role, rules):
        self.role, self.history = role, []
        with tempfile.NamedTemporaryFile("w", suffix=".kif", delete=False) as file:
            file.write("\n".join(map(write, rules)))
        self.sheet = file.name

    def position(self):
        moves = " ".join(map(write, self.history))
        command = [LUDEX, "show", "state", self.sheet, "--json", f"--history={moves}"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def choose(position, role):
    """The move to make: this is the place for better ideas."""
    legal = {name.lower(): moves for name, moves in position["legal"].items()}
    return legal[role.lower()][0]


class Player(BaseHTTPRequestHandler):
    matches = {}

    def answer(self, message):
        kind, args = message[0].lower() if message else "", message[1:]
        if kind == "start":
            self.matches[args[0]] = Match(args[1], args[2])
        elif kind == "play" and args[0] in self.matches:
            match = self.matches[args[0]]
            match.history += [args[1]] if isinstance(args[1], list) and args[1] else []
            return choose(match.position(), match.role)
        elif kind in ("stop", "abort") and self.matches.get(args[0]):
            os.unlink(self.matches.pop(args[0]).sheet)
        names = {"start": "ready", "preview": "ready", "stop": "done", "abort": "aborted"}
        return names.get(kind, "((name first_move) (status available))" if kind == "info" else "busy")

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        body = self.answer(read(text)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/acl")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9200, help="port to listen on; 0: any free one")
    server = HTTPServer(("127.0.0.1", parser.parse_args().port), Player)
    print(f"listening on port {server.server_port}", flush=True)
    server.serve_forever()
