#!/usr/bin/env python3
"""server FOLDER ISSUER AGENT [SECRET MECHANISMS] - serves what programs fetch with a token, over TLS and over plain http, on loopback.

Every resource wants a token that the issuer accepts: an access token at its UserInfo endpoint, or an ID Token that
`agent verify` finds good. FOLDER has server.pem and server.key; a bare git repository in FOLDER/git. The first line
is "TLS-PORT HTTP-PORT"; then a line for each request: method, path, scheme of its credential, user, status. With the
secret of the issuer's confidential client there is mail, too, with these mechanisms: Dovecot, and a server that takes
messages, whose ports are on the first line.
"""
import atexit, base64, grp, hashlib, http.server, io, json, os, pwd, re, shutil, signal, socket, socketserver, ssl, subprocess, sys, tarfile
import tempfile, threading, time, urllib.request, zipfile

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
        return urllib.request.urlopen(request, timeout=600).status == 200
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
EVENT = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:event\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"


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
        if "/v2.0/" in self.path or self.path.endswith("/v2.0/token"):
            return self.tenant(data)
        if self.path.startswith("/token"):
            return self.trade(data)
        scheme, user, token = self.credential()
        if self.path.startswith("/v2") and os.path.exists(FOLDER + "/identity"):
            # A registry that takes the tokens of its own token service only.
            good = token == "traded"
            self.tell(scheme, user, 200 if good else 401)
            challenge = 'Bearer realm="%s/token",service="registry"' % self.base
            return self.registry(self.path) if good else self.answer(401, b"no", headers=[("WWW-Authenticate", challenge)])
        if not accepted(token):
            self.tell(scheme, user, 401)
            basic = self.path.startswith(("/v2", "/simple", "/git"))
            challenge = 'Basic realm="tests"' if basic else 'Bearer realm="tests"'
            if self.path.startswith("/bearer"):
                challenge = 'Bearer realm="tests"'
            return self.answer(401, b"no", headers=[("WWW-Authenticate", challenge)])
        self.tell(scheme, user, 200)
        self.serve(data)

    do_GET = do_HEAD = do_POST = do_PUT = do_PROPFIND = do_REPORT = any

    @property
    def base(self):
        return "%s://127.0.0.1:%d" % (self.server.scheme, self.server.server_address[1])

    def serve(self, data):
        path = self.path.split("?")[0]
        if self.command in ("PROPFIND", "REPORT"):
            return self.properties(path)
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

    def properties(self, path):
        """A file (RFC 4918), or the one event of a calendar (RFC 4791)."""
        text = '<multistatus xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><response><href>%s</href><propstat><prop><resourcetype/><getcontentlength>2</getcontentlength><getetag>"1"</getetag><getcontenttype>text/calendar</getcontenttype><c:calendar-data>%s</c:calendar-data></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>'
        name = path + "event.ics" if path.endswith("/") else path
        self.answer(207, (text % (name, EVENT)).encode(), "application/xml")

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

    def tenant(self, data):
        """Microsoft's client credentials grant with an assertion of another issuer."""
        from urllib.parse import parse_qs
        tenant = "https://%s/%s" % (self.headers["Host"], self.path.split("/")[1])
        if self.command == "GET":
            return self.answer(200, {
                "issuer": tenant + "/v2.0", "authorization_endpoint": tenant + "/oauth2/v2.0/authorize",
                "token_endpoint": tenant + "/oauth2/v2.0/token"})
        form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
        good = accepted(form.get("client_assertion", ""))
        self.tell("client_assertion", form.get("client_id", "-"), 200 if good else 400)
        if not good:
            return self.answer(400, {"error": "invalid_client"})
        self.answer(200, {"access_token": "exchanged", "token_type": "Bearer", "expires_in": 3600})

    def trade(self, data):
        """The token service of a registry, at which an identity token is a refresh token."""
        from urllib.parse import parse_qs
        form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
        good = form.get("grant_type") == "refresh_token" and accepted(form.get("refresh_token", ""))
        self.tell(form.get("grant_type", "-"), form.get("service", "-"), 200 if good else 401)
        if not good:
            return self.answer(401, {"details": "no"})
        self.answer(200, {"access_token": "traded", "token": "traded", "token_type": "Bearer", "expires_in": 300})

    def sts(self, data):
        """Token exchange as Google's security token service does it (RFC 8693)."""
        from urllib.parse import parse_qs
        form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
        good = accepted(form.get("subject_token", ""))
        self.tell("subject_token", form.get("subject_token_type", "-").split(":")[-1], 200 if good else 400)
        if not good:
            return self.answer(400, {"error": "invalid_grant"})
        self.answer(200, {"access_token": "exchanged", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer", "expires_in": 3600})


class Submission(socketserver.StreamRequestHandler):
    """Message submission (RFC 6409) over TLS, as far as a client needs it to sign in with a token and send a message."""

    def say(self, *lines):
        for line in lines:
            self.wfile.write(line.encode() + b"\r\n")

    def authenticate(self, mechanism, *rest):
        if not rest:
            self.say("334 ")
            rest = [self.rfile.readline().decode().strip()]
        fields = base64.b64decode(rest[0]).decode().split("\x01")
        user = fields[0][5:] if mechanism == "XOAUTH2" else fields[0].split(",")[1][2:]
        token = next((field[len("auth=Bearer "):] for field in fields if field.startswith("auth=Bearer ")), "")
        good = accepted(token)
        with lock:
            print("AUTH", mechanism, user, 235 if good else 535, flush=True)
        self.say("235 in" if good else "535 no")
        return good

    def handle(self):
        is_in = False
        self.say("220 localhost")
        while line := self.rfile.readline():
            command, *rest = line.decode().split()
            command = command.upper()
            if command == "EHLO":
                self.say("250-localhost", "250 AUTH " + sys.argv[5].upper())
            elif command == "AUTH":
                is_in = self.authenticate(*rest)
            elif command == "QUIT":
                return self.say("221 bye")
            elif not is_in:
                self.say("530 not signed in")
            elif command == "DATA":
                self.say("354 on")
                while self.rfile.readline() not in (b".\r\n", b""):
                    pass
                with lock:
                    print("DATA", flush=True)
                self.say("250 sent")
            else:
                self.say("250 ok")


DOVECOT = """
base_dir = {home}/run
state_dir = {home}/run
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.key
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
auth_mechanisms = {mechanisms}
mail_location = maildir:{home}/mail
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {home}/oauth2.conf
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={home}
}}
first_valid_uid = 1
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
"""

INTROSPECTION = """
introspection_mode = post
introspection_url = {scheme}://agent-confidential:{secret}@{authority}/introspect
username_attribute = email
active_attribute = active
active_value = true
"""


def imap(secret):
    """Starts Dovecot, which has the issuer introspect each token."""
    home = tempfile.mkdtemp(dir="/tmp")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    user = pwd.getpwuid(os.getuid() or pwd.getpwnam("nobody").pw_uid)
    os.mkdir(home + "/mail")
    os.chown(home + "/mail", user.pw_uid, user.pw_gid)
    os.chmod(home, 0o711)
    scheme, _, authority = ISSUER.partition("://")
    with open(os.open(home + "/oauth2.conf", os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(INTROSPECTION.format(scheme=scheme, authority=authority, secret=secret))
    for _ in range(20):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
        with open(home + "/dovecot.conf", "w") as file:
            file.write(DOVECOT.format(
                home=home, folder=FOLDER, port=port, mechanisms=sys.argv[5], user=user.pw_name, group=grp.getgrgid(user.pw_gid).gr_name))
        process = subprocess.Popen(
            ["/usr/sbin/dovecot", "-F", "-c", home + "/dovecot.conf"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True)
        # Another program may have taken the port meanwhile.
        if any("starting up" in line or sys.stderr.write(line) < 0 for line in process.stderr):
            atexit.register(process.terminate)
            threading.Thread(target=relay, args=[process.stderr], daemon=True).start()
            return port
    sys.exit("dovecot does not start")


def relay(log):
    for line in log:
        if match := re.search("Login: user=<([^>]*)>, method=([A-Z0-9]*)", line):
            with lock:
                print("AUTHENTICATE", match[2], match[1], 200, flush=True)
        elif "Introspection failed" in line or "Error" in line or "Fatal" in line:
            print(line, end="", file=sys.stderr, flush=True)


def secured(server):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER + "/server.pem", FOLDER + "/server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)


def submission():
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Submission)
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


signal.signal(signal.SIGTERM, lambda *_: sys.exit())
mail = (imap(sys.argv[4]), submission()) if len(sys.argv) > 4 else ()
print(door("https"), door("http"), *mail, flush=True)
sys.stdin.read()
