"""server.py DIRECTORY - serves django-oauth-toolkit at a free port of 127.0.0.1, over plain http: OpenID Connect, refresh
tokens that are good once, a public and a confidential client for each of the code flow and the device flow (a client has
one flow at this server), and a user. Writes DIRECTORY/instance.json when it can be used. Everything is kept in DIRECTORY."""
import json
import os
import secrets
import socket
import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from jwcrypto.jwk import JWK

directory = os.path.realpath(sys.argv[1]) if __name__ == "__main__" else None

# The server itself has no page to sign in at.
SIGN_IN = '<!DOCTYPE html><title>Sign in</title><form method="post">{% csrf_token %}{{ form }}<button type="submit">Sign in</button></form>'


def environment(name, default):
    return int(os.environ.get("DJANGO_OAUTH_TOOLKIT_" + name, default))


def configure(origin):
    app = "django.contrib."
    settings.configure(
        SECRET_KEY=secrets.token_hex(32), ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF="addresses", USE_TZ=True, LOGIN_URL="/login/",
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(directory, "server.db")}},
        INSTALLED_APPS=[app + "auth", app + "contenttypes", app + "sessions", "oauth2_provider"],
        MIDDLEWARE=[app + "sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
                    app + "auth.middleware.AuthenticationMiddleware"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {
            "context_processors": ["django.template.context_processors.request", app + "auth.context_processors.auth"],
            "loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": SIGN_IN}),
                        "django.template.loaders.app_directories.Loader"]}}],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True, "OIDC_ISS_ENDPOINT": origin + "/o", "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": JWK.generate(kty="RSA", size=2048).export_to_pem(private_key=True, password=None).decode(),
            "PKCE_REQUIRED": True, "SCOPES": {"openid": "OpenID", "profile": "Profile", "read": "Read"},
            "DEFAULT_SCOPES": ["openid"], "ACCESS_TOKEN_EXPIRE_SECONDS": environment("ACCESS_LIFETIME", 3600),
            "ROTATE_REFRESH_TOKEN": True, "REFRESH_TOKEN_REUSE_PROTECTION": True, "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
            "DEVICE_FLOW_INTERVAL": environment("INTERVAL", 1), "OAUTH_DEVICE_VERIFICATION_URI": origin + "/o/device/",
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: origin + "/o/device/?user_code=" + code,
            # Anybody may register a client (RFC 7591).
            "DCR_ENABLED": True, "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",)})
    django.setup()


def fill(instance):
    """The user and the clients."""
    from django.contrib.auth.models import User
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    user = User.objects.create_user(instance["user"], "alice@example.org", instance["password"])
    # Any port will do at a loopback literal (RFC 8252 section 7.3).
    flows = {"code": (Application.GRANT_AUTHORIZATION_CODE, instance["redirect_uri"]),
             "device": (Application.GRANT_DEVICE_CODE, "")}
    for kind in ("public", "confidential"):
        for flow, (grant, redirect) in flows.items():
            Application.objects.create(
                client_id="%s-%s" % (kind, flow), name="%s, %s" % (kind, flow), user=user, client_type=kind,
                client_secret=instance["client_secret"], authorization_grant_type=grant, redirect_uris=redirect,
                algorithm=Application.RS256_ALGORITHM, skip_authorization=False)


def main():
    from waitress import serve

    os.umask(0o077)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    origin = "http://127.0.0.1:%d" % listener.getsockname()[1]
    configure(origin)
    instance = {
        "pid": os.getpid(), "directory": directory, "issuer": origin + "/o", "user": "alice",
        "password": secrets.token_hex(12), "redirect_uri": "http://127.0.0.1/callback",
        "device_authorization_endpoint": origin + "/o/device-authorization/", "client_secret": secrets.token_hex(24)}
    fill(instance)
    application = get_wsgi_application()
    listener.listen(64)
    with open(os.path.join(directory, "instance.new"), "w", encoding="utf-8") as file:
        json.dump(instance, file)
    # Who comes now is taken as soon as the server runs, for the socket listens.
    os.rename(os.path.join(directory, "instance.new"), os.path.join(directory, "instance.json"))
    serve(application, sockets=[listener], threads=8)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
