# The settings of Glewlwyd's OpenID Connect plugin, as its REST API takes them.
{
  module: "oidc", name: "oidc", display_name: "OpenID Connect", enabled: true,
  parameters: {
    iss: $iss, "jwks-private": $keys, "default-kid": "rs256", "client-sign_kid-parameter": "sign_kid",
    "jwks-show": true, "subject-type": "public", "allow-non-oidc": true, "allowed-scope": $scopes,

    "auth-type-device-enabled": true, "auth-type-refresh-enabled": true, "auth-type-id-token-enabled": true,
    "auth-type-code-enabled": true, "auth-type-code-revoke-replayed": true, "auth-type-token-enabled": false, "auth-type-none-enabled": false,
    "auth-type-password-enabled": false, "auth-type-client-enabled": true,
    "register-client-allowed": true, "register-client-auth-scope": [], "register-client-credentials-scope": ["api:read"],
    "register-client-management-allowed": true, "register-resource-specify-allowed": false,
    "register-resource-default": [], "request-parameter-allow": true, "request-parameter-allow-encrypted": false,
    "request-parameter-ietf-strict": false, "request-maximum-exp": 3600, "request-uri-allow-https-non-secure": false,
    "client-pubkey-parameter": "pubkey", "client-jwks-parameter": "jwks", "client-jwks_uri-parameter": "jwks_uri",
    "oauth-par-allowed": ($par != "off"), "oauth-par-required": ($par == "required"), "oauth-par-duration": 90,
    "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
    "pkce-allowed": true, "pkce-method-plain-allowed": false, "pkce-required": false,
    "pkce-required-public-client": true, "pkce-scopes": [],
    "device-authorization-interval": $interval, "device-authorization-expiration": $device,

    "access-token-duration": $access, "refresh-token-duration": $refresh, "code-duration": 600,
    "refresh-token-rolling": true, "refresh-token-one-use": $one_use,

    "oauth-dpop-allowed": true, "oauth-dpop-iat-duration": 60, "oauth-dpop-iat-gap-duration": 10,
    "oauth-dpop-nonce-mandatory": ($dpop_nonce == "always"), "oauth-dpop-nonce-counter": 3,
    "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound_access_tokens",

    "introspection-revocation-allowed": true, "introspection-revocation-allow-target-client": true,
    "introspection-revocation-auth-scope": ["openid"],

    "name-claim": "on-demand", "name-claim-scope": ["profile"],
    "email-claim": "on-demand", "email-claim-scope": ["email"], "scope-claim": "no",
    claims: [{
      name: "preferred_username", "user-property": "username", type: "string",
      mandatory: false, "on-demand": true, scope: ["profile"]
    }]
  }
}
