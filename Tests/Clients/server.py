#!/usr/bin/env python3
"""server FOLDER ISSUER AGENT - serves what programs fetch with a token, over TLS and over plain http, on loopback.

Every resource wants a token that the issuer accepts: an access token at its UserInfo endpoint, or an ID Token that
`agent verify` finds good. FOLDER has server.pem and server.key; a bare git repository in FOLDER/git. The first line
is "TLS-PORT HTTP-PORT IMAPS-PORT"; then a line for each request: method, path, scheme of its credential, user, status.
"""
import base64, hashlib, http.server, io, json, os, socketserver, ssl, subprocess, sys, tarfile, threading, time, urllib.request, zipfile

FOLDER, ISSUER, AGENT = sys.argv[1:4]
lock = threading.Lock()


def accepted(token):
    """Whether the issuer accepts it, as an access token or as its ID Token; FOLDER/refused holds one that is not."""
    if os.path.exists(FOLDER + "/refused") and open(FOLDER + "/refused").read() == token:
        return False
    if token.count(".") == 2:
        verify = [AGENT, "--no-daemon", "verify", "-", "--issuer", ISSUER, "--allow-http-loopback", "--audience", "agent-cli"]
        if subprocess.run(verify, input=token.encode(), capture_output=True).returncode == 0:
            return True
    request = urllib.request.Request(ISSUER + "/userinfo", headers={"Authorization": "Bearer " + token})
    try:
        return urllib.request.urlopen(request, timeout=10).status == 200
    except OSError:
        return False


def wheel():
    name, content = "helpedwheel-1.0.dist-info/", io.BytesIO()
    files = {
        "helpedwheel.py": "answer = 42\n",
        name + "METADATA": "Metadata-Version: 2.1\nName: helpedwheel\nVersion: 1.0\n",
        name + "WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(content, "w") as archive:
        record = "".join("%s,,\n" % path for path in files) + name + "RECORD,,\n"
        for path, text in {**files, name + "RECORD": record}.items():
            archive.writestr(path, text)
    return content.getvalue()


def crate():
    content = io.BytesIO()
    files = {
        "helped-1.0.0/Cargo.toml": '[package]\nname = "helped"\nversion = "1.0.0"\nedition = "2021"\n',
        "helped-1.0.0/src/lib.rs": "pub fn answer() -> u8 { 42 }\n",
    }
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return content.getvalue()


def module():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("example.test/helped@v1.0.0/go.mod", "module example.test/helped\n")
        archive.writestr("example.test/helped@v1.0.0/helped.go", "package helped\n")
    return content.getvalue()


WHEEL, CRATE, MODULE = wheel(), crate(), module()
MANIFEST = json.dumps({
    "schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
    "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": 2, "digest": "sha256:" + hashlib.sha256(b"{}").hexdigest()},
    "layers": []}).encode()


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def credential(self):
        """The scheme, the user and the token of the request."""
        value = self.headers.get("Authorization", "")
        scheme, _, token = value.partition(" ")
        if scheme.lower() == "basic":
            user, _, token = base64.b64decode(token).decode().partition(":")
            return scheme, user, token
        if self.headers.get("PRIVATE-TOKEN"):
            return "PRIVATE-TOKEN", "-", self.headers["PRIVATE-TOKEN"]
        return scheme or "-", "-", token

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status, content=b"", kind="text/plain", headers=()):
        if not isinstance(content, bytes):
            content, kind = json.dumps(content).encode(), "application/json"
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def tell(self, scheme, user, status):
        with lock:
            print(self.command, self.path.split("?")[0], scheme, user, status, flush=True)

    def any(self):
        data = self.body()
        if self.path.startswith("/sts"):
            return self.sts(data)
        if self.path.startswith("/aws"):
            return self.role(data)
        scheme, user, token = self.credential()
        if not accepted(token):
            self.tell(scheme, user, 401)
            basic = self.path.startswith(("/v2", "/simple", "/git"))
            challenge = 'Basic realm="tests"' if basic else 'Bearer realm="tests"'
            if self.path.startswith("/bearer"):
                challenge = 'Bearer realm="tests"'
            return self.answer(401, b"no", headers=[("WWW-Authenticate", challenge)])
        self.tell(scheme, user, 200)
        self.serve(data)

    do_GET = do_HEAD = do_POST = do_PUT = any

    @property
    def base(self):
        return "%s://127.0.0.1:%d" % (self.server.scheme, self.server.server_address[1])

    def serve(self, data):
        path = self.path.split("?")[0]
        if path.startswith("/git/"):
            return self.git(path, data)
        if path.startswith("/v2"):
            return self.registry(path)
        if path.startswith("/simple"):
            if path.endswith(".whl"):
                return self.answer(200, WHEEL, "application/zip")
            link = '<a href="helpedwheel-1.0-py3-none-any.whl#sha256=%s">helpedwheel-1.0-py3-none-any.whl</a>'
            return self.answer(200, (link % hashlib.sha256(WHEEL).hexdigest()).encode(), "text/html")
        if path == "/index/config.json":
            return self.answer(200, {"dl": self.base + "/crates/{crate}-{version}", "api": self.base, "auth-required": True})
        if path == "/index/he/lp/helped":
            return self.answer(200, {"name": "helped", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False, "cksum": hashlib.sha256(CRATE).hexdigest()})
        if path.startswith("/crates/"):
            return self.answer(200, CRATE, "application/gzip")
        if path.startswith("/proxy/"):
            return self.proxy(path)
        if path in ("/healthz", "/me"):
            return self.answer(200, b"ok")
        return self.answer(404, b"none")

    def registry(self, path):
        digest = "sha256:" + hashlib.sha256(MANIFEST).hexdigest()
        version = [("Docker-Distribution-Api-Version", "registry/2.0")]
        if "/manifests/" in path:
            return self.answer(200, MANIFEST, "application/vnd.docker.distribution.manifest.v2+json", version + [("Docker-Content-Digest", digest)])
        if "/blobs/" in path:
            return self.answer(200, b"{}", "application/octet-stream", version)
        if path.endswith("/tags/list"):
            return self.answer(200, {"name": "app", "tags": ["latest"]}, headers=version)
        return self.answer(200, {}, headers=version)

    def proxy(self, path):
        name = path[len("/proxy/example.test/helped/@v/"):]
        contents = {"list": b"v1.0.0\n", "v1.0.0.info": b'{"Version":"v1.0.0"}', "v1.0.0.mod": b"module example.test/helped\n", "v1.0.0.zip": MODULE}
        return self.answer(200, contents[name]) if name in contents else self.answer(404)

    def git(self, path, data):
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": FOLDER + "/git", "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "tests",
            "PATH_INFO": path[len("/git"):], "REQUEST_METHOD": self.command, "QUERY_STRING": self.path.partition("?")[2],
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(data)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HOME": FOLDER, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
        output = subprocess.run(["git", "http-backend"], input=data, env=environment, capture_output=True).stdout
        head, _, content = output.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        kind = next((value for name, value in headers if name == "Content-Type"), "text/plain")
        self.answer(status, content, kind, [pair for pair in headers if pair[0] not in ("Status", "Content-Type")])

    def role(self, data):
        """AssumeRoleWithWebIdentity, GetCallerIdentity with a key that it gave, and what a service should not do."""
        from urllib.parse import parse_qs
        form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
        action, role = form.get("Action", "-"), form.get("RoleArn", "-")
        if self.path.startswith("/aws/redirect"):
            self.tell(action, role, 307)
            return self.answer(307, headers=[("Location", self.base + "/aws")])
        if action == "GetCallerIdentity":
            good = "Credential=ASIATESTS/" in self.headers.get("Authorization", "") and self.headers.get("X-Amz-Security-Token") == "session+/=token"
            self.tell(action, "-", 200 if good else 403)
            text = "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:sts::1:assumed-role/r/agent</Arn><UserId>u</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
            return self.answer(200 if good else 403, text.encode(), "text/xml")
        good = action == "AssumeRoleWithWebIdentity" and accepted(form.get("WebIdentityToken", ""))
        self.tell(action, role, 200 if good else 400)
        if not good:
            return self.answer(400, b"<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>no</Message></Error></ErrorResponse>", "text/xml")
        end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + int(form.get("DurationSeconds", 3600))))
        text = "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIATESTS</AccessKeyId><SecretAccessKey>secret/+key</SecretAccessKey><SessionToken>session+/=token</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"
        self.answer(200, (text % end).encode(), "text/xml")

    def sts(self, data):
        """Token exchange as Google's security token service does it (RFC 8693)."""
        from urllib.parse import parse_qs
        form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
        good = accepted(form.get("subject_token", ""))
        self.tell("subject_token", form.get("subject_token_type", "-").split(":")[-1], 200 if good else 400)
        if not good:
            return self.answer(400, {"error": "invalid_grant"})
        self.answer(200, {"access_token": "exchanged", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer", "expires_in": 3600})


class Mail(socketserver.StreamRequestHandler):
    """IMAP (RFC 9051) over TLS, as far as a client needs it to sign in with a token and list its one folder."""

    def say(self, line): self.wfile.write(line.encode() + b"\r\n")

    def handle(self):
        offer = "CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2 AUTH=OAUTHBEARER"
        self.say("* OK [%s] ready" % offer)
        isIn = False
        while line := self.rfile.readline():
            tag, command, *rest = line.decode().split()
            command = command.upper()
            if command == "CAPABILITY":
                self.say("* " + offer)
            elif command == "AUTHENTICATE":
                if len(rest) < 2:
                    self.say("+ ")
                    rest.append(self.rfile.readline().decode().strip())
                fields = base64.b64decode(rest[1]).decode().split("\x01")
                user = fields[0][5:] if rest[0] == "XOAUTH2" else fields[0].split(",")[1][2:]
                places = [field for field in fields if field.startswith(("host=", "port="))]
                isHere = places == ["host=127.0.0.1", "port=%d" % self.server.server_address[1]]
                token = next((field[len("auth=Bearer "):] for field in fields if field.startswith("auth=Bearer ")), "")
                isIn = accepted(token) and (rest[0] == "XOAUTH2" or isHere)
                with lock:
                    print("AUTHENTICATE", rest[0], user, 200 if isIn else 401, flush=True)
                if not isIn:
                    self.say(tag + " NO no")
                    continue
            elif command == "LIST" and isIn:
                self.say('* LIST () "/" INBOX')
            elif command == "LOGOUT":
                self.say("* BYE")
            elif not isIn:
                self.say(tag + " NO not signed in")
                continue
            self.say(tag + " OK done")


def secured(server):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER + "/server.pem", FOLDER + "/server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)


def mail():
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mail)
    server.daemon_threads = True
    secured(server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def door(scheme):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads, server.request_queue_size, server.scheme = True, 128, scheme
    if scheme == "https":
        secured(server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


print(door("https"), door("http"), mail(), flush=True)
sys.stdin.read()
