# SPDX-License-Identifier: Apache-2.0
"""What the service is measured beside: servers that answer a constant of the same size."""

import pathlib
import subprocess

import service

HERE = pathlib.Path(__file__).resolve().parent


class Rivals:
    """The running rivals; `with` ends them."""

    def __init__(self, response, body, work):
        self.work = work
        self.processes = {}
        self.ports = {}
        (work / "response").write_bytes(response)
        (work / "body").write_bytes(body)
        self.nginx("nginx", body, workers=1)
        self.nginx("nginx x2", body, workers=2)
        self.floor()
        self.go()
        self.node()
        for port in self.ports.values():
            service.wait_for(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait()

    def start(self, name, port, command, **options):
        self.ports[name] = port
        self.processes[name] = subprocess.Popen(command, **options)

    def nginx(self, name, body, workers):
        port = service.free_port()
        directory = self.work / f"nginx-{workers}"
        directory.mkdir()
        text = body.decode().replace("\\", "\\\\").replace("'", "\\'").replace("$", "")
        temporary = "\n".join(
            f"    {kind}_temp_path {directory}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = directory / "nginx.conf"
        config.write_text(f"""\
daemon off; worker_processes {workers}; pid {directory}/nginx.pid; error_log stderr error;
events {{ worker_connections 4096; }}
http {{
{temporary}
    access_log off; keepalive_requests 1000000000; default_type application/json;
    server {{ listen 127.0.0.1:{port}; location / {{ return 200 '{text}'; }} }}
}}
""")
        self.start(name, port, ["nginx", "-c", str(config), "-p", str(directory)])

    def floor(self):
        port = service.free_port()
        program = self.work / "floor"
        subprocess.run(["cc", "-O2", "-o", str(program), str(HERE / "floor.c")], check=True)
        self.start("floor", port, [str(program), str(port), str(self.work / "response")])

    def go(self):
        port = service.free_port()
        program = self.work / "rival-go"
        environment = {"HOME": str(self.work), "PATH": "/usr/bin:/bin:/usr/local/bin:/usr/local/go/bin"}
        subprocess.run(
            ["go", "build", "-o", str(program), str(HERE / "rival.go")], check=True,
            env={**environment, "GOCACHE": str(self.work / "go-cache"), "GO111MODULE": "off"})
        self.start(
            "go", port, [str(program), str(port), str(self.work / "body")], env={**environment, "GOMAXPROCS": "1"})

    def node(self):
        port = service.free_port()
        self.start("node", port, ["node", str(HERE / "rival.mjs"), str(port), str(self.work / "body")])
