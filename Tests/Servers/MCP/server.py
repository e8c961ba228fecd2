#!/usr/bin/env python3
"""server FOLDER ISSUER SECRET PORT - an MCP server of the SDK, on plain http at 127.0.0.1, which wants a token of the issuer.

Each request needs a token that is good by introspection (RFC 7662); one that is bound to a key needs a proof (RFC 9449). The
first line on standard output is the port; then there is a line for each request: method, session, protocol method, scheme,
status. What is in FOLDER/expired is refused as a token, the tool of FOLDER/scope wants the scope that is named behind it, and
FOLDER/silent has calls of the tool `slow` wait until it is gone.
"""
import asyncio, base64, hashlib, json, os, sys, urllib.parse, urllib.request
from typing import Annotated

import jwt, uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.streamable_http import EventStore
from pydantic import BaseModel, Field

FOLDER, ISSUER, SECRET, PORT = sys.argv[1:5]


def flag(name):
    path = os.path.join(FOLDER, name)
    return open(path).read().strip() if os.path.exists(path) else None


mcp = MCPServer("notes")


class Name(BaseModel):
    name: str


@mcp.tool()
def add(a: int, b: int) -> int:
    return a + b


@mcp.tool()
def big(count: int) -> str:
    return "x" * count


@mcp.tool()
def length(text: str) -> int:
    return len(text)


@mcp.tool()
def query(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    return region


@mcp.tool()
async def steps(count: int, ctx: Context) -> str:
    for step in range(count):
        await ctx.report_progress(step + 1, count, "step %d" % (step + 1))
    return "done"


@mcp.tool()
async def slow(ctx: Context) -> str:
    log("slow", "begins")
    try:
        while flag("silent") is not None:
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        log("slow", "cancelled")
        raise
    return "done"


def who():
    return Elicit("Who?", Name)


@mcp.tool()
async def ask(name: Annotated[Name, Resolve(who)]) -> str:
    return name.name


@mcp.tool()
async def parted(ctx: Context) -> str:
    await ctx.report_progress(1, 2)
    await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    return "done"


class Events(EventStore):
    """Keeps the events of all streams."""

    def __init__(self):
        self.events = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        from mcp.server.streamable_http import EventMessage

        last = int(last_event_id)
        stream = self.events[last - 1][0]
        for number, (own, message) in enumerate(self.events[last:], last + 1):
            if own == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def log(*words):
    print(*words, flush=True)


def introspected(token):
    data = urllib.parse.urlencode({"token": token}).encode()
    request = urllib.request.Request(ISSUER + "/introspect", data)
    request.add_header("Authorization", "Basic " + base64.b64encode(("agent-confidential:" + SECRET).encode()).decode())
    return json.load(urllib.request.urlopen(request, timeout=600))


def proven(proof, token, thumbprint, method, url):
    head = jwt.get_unverified_header(proof)
    key = jwt.PyJWK(head["jwk"], algorithm=head["alg"])
    claims = jwt.decode(proof, key.key, algorithms=[head["alg"]], options={"verify_aud": False})
    names = {"EC": ["crv", "kty", "x", "y"], "OKP": ["crv", "kty", "x"], "RSA": ["e", "kty", "n"]}[head["jwk"]["kty"]]
    text = json.dumps({name: head["jwk"][name] for name in names}, separators=(",", ":"), sort_keys=True)
    digest = lambda text: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return head["typ"] == "dpop+jwt" and digest(text) == thumbprint and claims["htm"] == method and claims["htu"] == url and claims["ath"] == digest(token)


def refusal(method, headers, body):
    """The challenge for a request that is refused, and its status."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if not token:
        return 401, "Bearer"
    if token in (flag("expired") or "").split():
        return 401, scheme + ' error="invalid_token"'
    claims = introspected(token)
    if not claims.get("active"):
        return 401, scheme + ' error="invalid_token"'
    bound = claims.get("cnf", {}).get("jkt")
    url = "http://127.0.0.1:%s/mcp" % PORT
    if scheme != ("DPoP" if bound else "Bearer") or bound and not proven(headers["dpop"], token, bound, method, url):
        return 401, 'DPoP error="invalid_dpop_proof"'
    tool, _, scope = (flag("scope") or "").partition(" ")
    if body.get("method") == "tools/call" and body["params"]["name"] == tool and scope not in claims.get("scope", "").split():
        return 403, 'Bearer error="insufficient_scope", scope="%s"' % scope
    return None


class Guarded:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        parts, more = [], True
        while more:
            event = await receive()
            if event["type"] != "http.request":
                return
            parts.append(event.get("body", b""))
            more = event.get("more_body", False)
        content = b"".join(parts)
        body = json.loads(content) if content else {}
        body = body if isinstance(body, dict) else {}
        name = str(body.get("method", "-"))
        if body.get("params", {}).get("name"):
            name += ":" + body["params"]["name"]
        line = [scope["method"], headers.get("mcp-session-id", "-"), headers.get("mcp-protocol-version", "-"), name]
        line.append(headers.get("authorization", "-").split(" ")[0])
        for field in ("mcp-method", "mcp-name", "mcp-param-region", "last-event-id"):
            if field in headers:
                line.append(field + "=" + headers[field])
        refused = await asyncio.get_running_loop().run_in_executor(None, refusal, scope["method"], headers, body)
        if refused:
            log(*line, refused[0])
            challenge = refused[1].encode()
            await send({"type": "http.response.start", "status": refused[0], "headers": [(b"www-authenticate", challenge)]})
            return await send({"type": "http.response.body", "body": b""})
        taken = False

        async def passed():
            nonlocal taken
            if taken:
                return await receive()
            taken = True
            return {"type": "http.request", "body": content, "more_body": False}

        async def told(event):
            if event["type"] == "http.response.start":
                log(*line, event["status"])
            await send(event)

        await self.app(scope, passed, told)


async def main():
    app = mcp.streamable_http_app(
        event_store=Events() if os.environ.get("EVENTS") else None, retry_interval=50 if os.environ.get("EVENTS") else None,
        json_response=bool(os.environ.get("WHOLE")), max_request_body_size=1 << 26)
    config = uvicorn.Config(Guarded(app), host="127.0.0.1", port=int(PORT), log_level="error", lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    socket.listen()
    globals()["PORT"] = str(socket.getsockname()[1])
    log(PORT)
    await server.serve([socket])


asyncio.run(main())
