#!/usr/bin/env python3
"""client MODE AGENT URL - an MCP client of the SDK that starts `AGENT mcp URL` and does what its input says.

MODE is "legacy" or a revision of the protocol. Each line of input is a JSON array: the name of one of the functions below and
its arguments. A line of output answers each: {"result": …} or {"error": {"code", "message", "data"}}.
"""
import asyncio, contextlib, json, os, sys

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

MODE, AGENT, URL = sys.argv[1:4]
progress, asked, calls = [], [], {}
shown = asyncio.Event()


async def elicit(context, params):
    if params.mode == "url":
        asked.append({"url": params.url, "message": params.message})
        shown.set()
        return types.ElicitResult(action=os.environ.get("ANSWER", "accept"))
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def told(done, total, message):
    progress.append([done, total, message])


def text(result):
    return result.content[0].text if result.content else None


async def call(client, name, arguments):
    return text(await client.call_tool(name, arguments, progress_callback=told))


async def begin(client, key, name, arguments):
    """Calls a tool, to be waited for later."""
    calls[key] = asyncio.ensure_future(call(client, name, arguments))


async def end(client, key):
    return await calls[key]


async def cancel(client, key):
    calls[key].cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await calls[key]


async def many(client, count, name, arguments):
    return len([await result for result in asyncio.as_completed([call(client, name, arguments) for _ in range(count)])])


async def tools(client):
    return [tool.name for tool in (await client.list_tools()).tools]


async def sizes(client, count):
    return [len(await call(client, "big", {"count": count})), await call(client, "length", {"text": "ä" * count})]


async def heard(client):
    return {"progress": progress, "asked": asked}


async def question(client):
    await shown.wait()
    return asked


async def version(client):
    return client.session.protocol_version if hasattr(client.session, "protocol_version") else None


def failure(error):
    if isinstance(error, BaseExceptionGroup):
        return failure(error.exceptions[0])
    data = getattr(error, "error", None)
    if data is None:
        return {"code": None, "message": repr(error), "data": None}
    return {"code": data.code, "message": data.message, "data": data.data}


def say(answer):
    print(json.dumps(answer), flush=True)


async def main():
    server = StdioServerParameters(command=AGENT, args=["mcp", URL] + sys.argv[4:], env=dict(os.environ))
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while True:
        try:
            async with Client(server, mode=MODE, elicitation_callback=elicit, cache=None) as client:
                say({"result": "connected"})
                async for line in lines:
                    name, *arguments = json.loads(line)
                    try:
                        say({"result": await globals()[name](client, *arguments)})
                    except Exception as error:
                        say({"error": failure(error)})
                return
        except Exception as error:
            say({"error": failure(error)})
            if not await lines.readline():
                return


asyncio.run(main())
