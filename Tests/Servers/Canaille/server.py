"""server.py DIRECTORY - serves Canaille at a free port of 127.0.0.1, over plain http, with all that it has in memory: a user,
a public and two confidential clients of the code flow, registration for everybody (RFC 7591), and clients without a person:
one for which the server takes assertions that its own key signed, one that an assertion proves, and one for which it takes
assertions of the issuers in DIRECTORY/trusted.json, a list of objects with issuer, keys (a JWK Set) and subject, who is the
user. Writes DIRECTORY/instance.json when it can be used."""
import base64
import datetime
import json
import os
import secrets
import socket
import sys

from authlib.oauth2 import rfc6749
from authlib.oauth2.drafts.id_jag import IDJAGGrant
from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from canaille.core.auth import get_user_from_login
from canaille.oidc import provider
from joserfc import jwk, jws
from waitress import serve

# The server compares the ports of loopback addresses as well: whoever signs in takes one of these.
PORTS = 8
# The server asks no user whether a client at this host may act for them.
TRUSTED = "workload.example"


class IdentityAssertionGrant(IDJAGGrant):
    """Authlib's grant for assertions about the users of other issuers. It has the same name as the one for all others, and is
    told from it by the type of the JWT."""
    directory = None

    @classmethod
    def check_token_endpoint(cls, request):
        if not super().check_token_endpoint(request):
            return False
        try:
            return jws.extract_compact(request.form.get("assertion", "").encode()).headers().get("typ") == cls.REQUIRED_TYP
        except Exception:  # The other grant says what is wrong.
            return False

    def trusted(self, issuer):
        with open(os.path.join(self.directory, "trusted.json"), encoding="utf-8") as file:
            for trusted in json.load(file):
                if trusted["issuer"] == issuer:
                    return trusted
        raise rfc6749.InvalidGrantError("the issuer is not trusted")

    def get_audiences(self):
        return [provider.get_issuer()]

    def resolve_issuer_key(self, issuer, headers):
        return jwk.KeySet.import_key_set(self.trusted(issuer)["keys"])

    def authenticate_user(self, subject):
        trusted = self.trusted(self.request.id_jag_claims["iss"])
        return get_user_from_login("alice") if subject == trusted["subject"] else None

    def check_jti(self, claims, jti):
        return provider.JWTClientAuth().validate_jti(claims, jti)

    def check_id_jag_permission(self, client, user, scopes):
        return client.trusted


def fill_workloads(instance, platform):
    """The clients without a person."""
    bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    for name, grant, method in (("workload", bearer, "none"), ("proved-workload", "client_credentials", "private_key_jwt"),
                                ("agent-cli", bearer, "client_secret_basic")):
        client = models.Client(
            client_id=name, client_name=name, client_uri="https://" + TRUSTED, grant_types=[grant],
            client_id_issued_at=datetime.datetime.now(datetime.timezone.utc), scope=["openid", "profile", "email"],
            client_secret=instance["client_secret"] if method == "client_secret_basic" else None,
            jwks=json.dumps({"keys": [platform.as_dict(private=False)]}) if method == "private_key_jwt" else None,
            token_endpoint_auth_method=method)
        Backend.instance.save(client)
        client.audience = [client]
        Backend.instance.save(client)


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
    # The key that the server takes assertions of the first client by; ID Tokens are signed by the other one.
    platform = jwk.ECKey.generate_key("P-256", auto_kid=True)
    instance["platform_key"] = base64.b64encode(platform.as_der(private=True)).decode()
    # As released, the grant takes a secret alone, against the methods that the metadata announce.
    rfc6749.ClientCredentialsGrant.TOKEN_ENDPOINT_AUTH_METHODS = provider.RefreshTokenGrant.TOKEN_ENDPOINT_AUTH_METHODS
    IdentityAssertionGrant.directory = directory
    application = create_app({
        "SECRET_KEY": secrets.token_hex(32), "SERVER_NAME": name, "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "FORCE_HTTPS": False},
        "CANAILLE_OIDC": {
            "DYNAMIC_CLIENT_REGISTRATION_OPEN": True, "TRUSTED_DOMAINS": [TRUSTED],
            "ACTIVE_JWKS": [key.as_dict(private=True) for key in (platform, jwk.RSAKey.generate_key(2048, auto_kid=True))]}})
    provider.authorization._token_grants.insert(0, (IdentityAssertionGrant, None))
    with application.app_context():
        with Backend.instance.session():
            fill(instance)
            fill_workloads(instance, platform)
    with open(os.path.join(directory, "instance.new"), "w", encoding="utf-8") as file:
        json.dump(instance, file)
    # Who comes now is taken as soon as the server runs, for the socket listens.
    os.rename(os.path.join(directory, "instance.new"), os.path.join(directory, "instance.json"))
    serve(application, sockets=[listener], threads=8)


if __name__ == "__main__":
    main()
