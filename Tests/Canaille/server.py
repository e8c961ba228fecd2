"""server.py DIRECTORY - serves Canaille at a free port of 127.0.0.1, over plain http, with all that it has in memory: a user,
a public and two confidential clients of the code flow, and registration for everybody (RFC 7591). Writes
DIRECTORY/instance.json when it can be used."""
import datetime
import json
import os
import secrets
import socket
import sys

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from waitress import serve

# The server compares the ports of loopback addresses as well: whoever signs in takes one of these.
PORTS = 8


def fill(instance):
    """The user and the clients."""
    user = models.User(user_name=instance["user"], formatted_name="Alice", given_name="Alice", family_name="Example",
                       emails=["alice@example.org"], password=instance["password"])
    Backend.instance.save(user)
    for kind, method in (("public", "none"), ("confidential", "client_secret_basic"), ("confidential-post", "client_secret_post")):
        client = models.Client(
            client_id=kind, client_name=kind, client_secret=instance["client_secret"] if method != "none" else None,
            client_id_issued_at=datetime.datetime.now(datetime.timezone.utc), redirect_uris=instance["redirect_uris"],
            grant_types=["authorization_code", "refresh_token"], response_types=["code"],
            scope=["openid", "profile", "email"], token_endpoint_auth_method=method)
        Backend.instance.save(client)
        client.audience = [client]
        Backend.instance.save(client)


def free_ports(count):
    """Ports that nobody has now, and that the system gives to nobody who asks for any."""
    ports = []
    while len(ports) < count:
        port = 20000 + secrets.randbelow(12000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        if port not in ports:
            ports.append(port)
    return ports


def main():
    os.umask(0o077)
    directory = os.path.realpath(sys.argv[1])
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    name = "127.0.0.1:%d" % listener.getsockname()[1]
    instance = {
        "pid": os.getpid(), "directory": directory, "issuer": "http://" + name, "user": "alice",
        "password": secrets.token_hex(12), "client_secret": secrets.token_hex(24),
        "redirect_uris": ["http://127.0.0.1:%d/callback" % port for port in free_ports(PORTS)]}
    application = create_app({
        "SECRET_KEY": secrets.token_hex(32), "SERVER_NAME": name, "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "FORCE_HTTPS": False},
        "CANAILLE_OIDC": {"DYNAMIC_CLIENT_REGISTRATION_OPEN": True, "TRUSTED_DOMAINS": []}})
    with application.app_context():
        with Backend.instance.session():
            fill(instance)
    with open(os.path.join(directory, "instance.new"), "w", encoding="utf-8") as file:
        json.dump(instance, file)
    # Who comes now is taken as soon as the server runs, for the socket listens.
    os.rename(os.path.join(directory, "instance.new"), os.path.join(directory, "instance.json"))
    serve(application, sockets=[listener], threads=8)


if __name__ == "__main__":
    main()
