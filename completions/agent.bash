# Generated from the command table by "generate"; do not edit.

# The words that may follow $1, the first word of a command; without it the first words.
__agent_words() {
  case $1 in
  '') words=(login workload logout ssh token env exec token-file serve lease-port request mcp proof helper setup doctor status list use whoami events verify decode account lock unlock vault daemon completions help) ;;
  'account') words=(add show set rename remove import client-metadata) ;;
  'vault') words=(status bind add-passphrase change-passphrase remove-slot rotate-key rebind set-aside check set) ;;
  'daemon') words=(start stop restart status run refresh log) ;;
  *) return 1 ;;
  esac
}

# What the command $1 takes.
__agent_command() {
  case $1 in
  'login') options=(--issuer --client-id --provider -s --scope --resource --ca-file --allow-http-loopback --host --redirect-uri --keep --client-secret-file --client-secret-prompt --client-key-file --client-certificate-file --register --browser --device --paste --no-open --no-keep --ephemeral --if-needed --ended --start --resume --acr --max-age --claims-challenge --prompt --login-hint) limit=1 operand=services ;;
  'workload') options=(--issuer --client-id --provider -s --scope --resource --audience --parameter --claims --authorization-details --token-endpoint-auth-method --basic-unencoded --client-key-algorithm --client-key-id --assertion-file --assertion-from --assertion-variable --assertion-account --assertion-grant --assertion-audience --id-token-algorithm --userinfo-algorithm --trust-audience --ca-file --pin --allow-http-loopback --authorization-endpoint --token-endpoint --device-authorization-endpoint --userinfo-endpoint --revocation-endpoint --registration-endpoint --jwks-uri --redirect-uri --proxy --keep --dpop --key --profile --host --refresh --var --protect --passphrase-file --passphrase-fd --pin-file --pin-fd --client-secret-file --client-secret-prompt --client-key-file --client-certificate-file --assertion-fd --register --ephemeral --if-needed) limit=1 operand=services ;;
  'logout') options=(--all --local --browser --no-open) limit=1 operand=accounts ;;
  'ssh') options=(--lend --only --method --allow-header --for --times --hand-out-token --confirm --askpass --no-jail -s --scope --resource --audience --authorization-details --exchange --url-as --token-as --ask) ;;
  'token') options=(--min-valid -s --scope --resource --audience --authorization-details --exchange --wait --force-refresh --header --id-token --ask) limit=1 operand=accounts ;;
  'env') options=(--shell --var --unset --hook --min-valid --wait --ask) limit=1 operand=accounts ;;
  'exec') options=(--var --token-file --id-token --signal --on-renewal --min-valid --wait --lease --url-as --token-as --ask --only --method --allow-header --for --times --hand-out-token --confirm --askpass --user --no-jail -s --scope --resource --audience --authorization-details --exchange) limit=1 operand=accounts trailing=yes ;;
  'token-file') options=(--id-token --wlcg) limit=3 operand=words words=(add remove) ;;
  'serve') options=(--socket --only --method --allow-header --for --times --hand-out-token --confirm --askpass --user --no-jail -s --scope --resource --audience --authorization-details --exchange) limit=1 operand=accounts ;;
  'lease-port') options=() limit=1 operand=files trailing=yes ;;
  'request') options=(-X --method -H --header -d --data -o --output -i --include --raw --wait --idle --ask -s --scope --resource --audience --authorization-details --exchange) limit=2 operand=words words=(GET HEAD POST PUT PATCH DELETE OPTIONS) ;;
  'mcp') options=(--login -H --header -s --scope --resource --audience --authorization-details --exchange) ;;
  'proof') options=(-X --method --nonce --header) limit=2 operand=words words=(GET HEAD POST PUT PATCH DELETE OPTIONS) ;;
  'helper') options=(--url --user --role-arn --session-name --duration --mode --output) limit=16 operand=words words=(git docker kubectl aws keyring cargo go curl header xoauth2 oauthbearer mcp gcp netrc) ;;
  'setup') options=(--host --name --role-arn --user --print --dry-run --undo --test -y --yes) limit=1 operand=words words=(git docker aws cargo go pip uv mcp kubectl msmtp mbsync neomutt aerc) ;;
  'doctor') options=() limit=1 operand=accounts ;;
  'status') options=(--check --utc) limit=1 operand=accounts ;;
  'list') options=(--utc) ;;
  'use') options=(--here --directory --clear) limit=1 operand=accounts ;;
  'whoami') options=() limit=1 operand=accounts ;;
  'events') options=(-f --follow --utc --lease --notify) limit=1 operand=accounts ;;
  'verify') options=(--issuer --jwks --hmac-key-file --hmac-key-fd --audience --profile --require --allow-missing --claim --algorithms --type --signature-only --clock-skew --ca-file --allow-http-loopback) limit=1 operand=files ;;
  'decode') options=() limit=1 operand=files ;;
  'account add') options=(--issuer --client-id --provider -s --scope --resource --audience --parameter --claims --authorization-details --token-endpoint-auth-method --basic-unencoded --client-key-algorithm --client-key-id --assertion-file --assertion-from --assertion-variable --assertion-account --assertion-grant --assertion-audience --id-token-algorithm --userinfo-algorithm --trust-audience --ca-file --pin --allow-http-loopback --authorization-endpoint --token-endpoint --device-authorization-endpoint --userinfo-endpoint --revocation-endpoint --registration-endpoint --jwks-uri --redirect-uri --proxy --keep --dpop --key --profile --host --refresh --var --protect --passphrase-file --passphrase-fd --pin-file --pin-fd) ;;
  'account show') options=() limit=1 operand=accounts ;;
  'account set') options=(--issuer --client-id --provider -s --scope --resource --audience --parameter --claims --authorization-details --token-endpoint-auth-method --basic-unencoded --client-key-algorithm --client-key-id --assertion-file --assertion-from --assertion-variable --assertion-account --assertion-grant --assertion-audience --id-token-algorithm --userinfo-algorithm --trust-audience --ca-file --pin --allow-http-loopback --authorization-endpoint --token-endpoint --device-authorization-endpoint --userinfo-endpoint --revocation-endpoint --registration-endpoint --jwks-uri --redirect-uri --proxy --keep --dpop --key --profile --host --refresh --var --protect --passphrase-file --passphrase-fd --pin-file --pin-fd --unset) limit=1 operand=accounts ;;
  'account rename') options=() limit=2 operand=accounts ;;
  'account remove') options=(--local) limit=1 operand=accounts ;;
  'account import') options=(--issuer --client-id --provider -s --scope --resource --audience --parameter --claims --authorization-details --token-endpoint-auth-method --basic-unencoded --client-key-algorithm --client-key-id --assertion-file --assertion-from --assertion-variable --assertion-account --assertion-grant --assertion-audience --id-token-algorithm --userinfo-algorithm --trust-audience --ca-file --pin --allow-http-loopback --authorization-endpoint --token-endpoint --device-authorization-endpoint --userinfo-endpoint --revocation-endpoint --registration-endpoint --jwks-uri --redirect-uri --proxy --keep --dpop --key --profile --host --refresh --var --protect --passphrase-file --passphrase-fd --pin-file --pin-fd --client-secret-file --client-secret-prompt --client-key-file --client-certificate-file --refresh-token-file --refresh-token-fd) ;;
  'account client-metadata') options=(--client-id --redirect-uri -s --scope --dpop --token-endpoint-auth-method --client-key-algorithm --client-key-id --id-token-algorithm --userinfo-algorithm --allow-http-loopback --client-key-file) limit=1 operand=accounts ;;
  'lock') options=() ;;
  'unlock') options=(--passphrase-file --passphrase-fd --pin-file --pin-fd) limit=1 operand=accounts ;;
  'vault status') options=() ;;
  'vault bind') options=(--to) ;;
  'vault add-passphrase') options=(--protection --passphrase-file --passphrase-fd) ;;
  'vault change-passphrase') options=(--protection --passphrase-file --passphrase-fd --pin-file --pin-fd --new-passphrase-file --new-passphrase-fd --new-pin-file --new-pin-fd) ;;
  'vault remove-slot') options=() ;;
  'vault rotate-key') options=(--passphrase-file --passphrase-fd) ;;
  'vault rebind') options=(--passphrase-file --passphrase-fd) ;;
  'vault set-aside') options=() ;;
  'vault check') options=() ;;
  'vault set') options=(--lock-after) ;;
  'daemon start') options=() ;;
  'daemon stop') options=() ;;
  'daemon restart') options=() ;;
  'daemon status') options=() ;;
  'daemon run') options=() ;;
  'daemon refresh') options=() ;;
  'daemon log') options=(--utc) ;;
  'completions') options=() limit=1 operand=words words=(bash zsh fish) ;;
  'help') options=(--all) limit=2 operand=commands ;;
  *) return 1 ;;
  esac
}

# What the option $2 of the command $1 takes; fails when it takes nothing.
__agent_value() {
  case "$1 $2" in
  'login --issuer') kind=text ;;
  'login --client-id') kind=text ;;
  'login --provider') kind=words words=(apple atlassian auth0 authentik bitbucket codeberg cognito dex discord dropbox entra forgejo gitea github gitlab glewlwyd gmail google huggingface identity-center keycloak okta outlook salesforce shopify slack twitch yahoo zitadel) ;;
  'login -s' | 'login --scope') kind=text ;;
  'login --resource') kind=text ;;
  'login --ca-file') kind=files ;;
  'login --host') kind=text ;;
  'login --redirect-uri') kind=text ;;
  'login --client-secret-file') kind=files ;;
  'login --client-key-file') kind=files ;;
  'login --client-certificate-file') kind=files ;;
  'login --resume') kind=text ;;
  'login --acr') kind=text ;;
  'login --max-age') kind=text ;;
  'login --claims-challenge') kind=text ;;
  'login --prompt') kind=text ;;
  'login --login-hint') kind=text ;;
  'workload --issuer') kind=text ;;
  'workload --client-id') kind=text ;;
  'workload --provider') kind=words words=(apple atlassian auth0 authentik bitbucket codeberg cognito dex discord dropbox entra forgejo gitea github gitlab glewlwyd gmail google huggingface identity-center keycloak okta outlook salesforce shopify slack twitch yahoo zitadel) ;;
  'workload -s' | 'workload --scope') kind=text ;;
  'workload --resource') kind=text ;;
  'workload --audience') kind=text ;;
  'workload --parameter') kind=text ;;
  'workload --claims') kind=text ;;
  'workload --authorization-details') kind=text ;;
  'workload --token-endpoint-auth-method') kind=words words=(none client_secret_basic client_secret_post private_key_jwt tls_client_auth self_signed_tls_client_auth) ;;
  'workload --client-key-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'workload --client-key-id') kind=text ;;
  'workload --assertion-file') kind=files ;;
  'workload --assertion-from') kind=words words=(github-actions gitlab-ci kubernetes) ;;
  'workload --assertion-variable') kind=text ;;
  'workload --assertion-account') kind=text ;;
  'workload --assertion-grant') kind=words words=(jwt-bearer token-exchange client-credentials) ;;
  'workload --assertion-audience') kind=text ;;
  'workload --id-token-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512) ;;
  'workload --userinfo-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'workload --trust-audience') kind=text ;;
  'workload --ca-file') kind=files ;;
  'workload --pin') kind=text ;;
  'workload --authorization-endpoint') kind=text ;;
  'workload --token-endpoint') kind=text ;;
  'workload --device-authorization-endpoint') kind=text ;;
  'workload --userinfo-endpoint') kind=text ;;
  'workload --revocation-endpoint') kind=text ;;
  'workload --registration-endpoint') kind=text ;;
  'workload --jwks-uri') kind=text ;;
  'workload --redirect-uri') kind=text ;;
  'workload --proxy') kind=text ;;
  'workload --key') kind=words words=(vault tpm2) ;;
  'workload --profile') kind=words words=(fapi2) ;;
  'workload --host') kind=text ;;
  'workload --refresh') kind=words words=(on-demand proactive background offline strict) ;;
  'workload --var') kind=text ;;
  'workload --protect') kind=words words=(device passphrase tpm2) ;;
  'workload --passphrase-file') kind=files ;;
  'workload --passphrase-fd') kind=text ;;
  'workload --pin-file') kind=files ;;
  'workload --pin-fd') kind=text ;;
  'workload --client-secret-file') kind=files ;;
  'workload --client-key-file') kind=files ;;
  'workload --client-certificate-file') kind=files ;;
  'workload --assertion-fd') kind=text ;;
  'ssh --lend') kind=accounts ;;
  'ssh --only') kind=text ;;
  'ssh --method') kind=text ;;
  'ssh --allow-header') kind=text ;;
  'ssh --for') kind=text ;;
  'ssh --times') kind=text ;;
  'ssh --askpass') kind=files ;;
  'ssh -s' | 'ssh --scope') kind=text ;;
  'ssh --resource') kind=text ;;
  'ssh --audience') kind=text ;;
  'ssh --authorization-details') kind=text ;;
  'ssh --url-as') kind=text ;;
  'ssh --token-as') kind=text ;;
  'token --min-valid') kind=text ;;
  'token -s' | 'token --scope') kind=text ;;
  'token --resource') kind=text ;;
  'token --audience') kind=text ;;
  'token --authorization-details') kind=text ;;
  'token --wait') kind=text ;;
  'env --shell') kind=words words=(sh bash zsh fish csh powershell nu dotenv systemd github-actions json) ;;
  'env --var') kind=text ;;
  'env --hook') kind=words words=(bash zsh fish) ;;
  'env --min-valid') kind=text ;;
  'env --wait') kind=text ;;
  'exec --var') kind=text ;;
  'exec --signal') kind=text ;;
  'exec --on-renewal') kind=files ;;
  'exec --min-valid') kind=text ;;
  'exec --wait') kind=text ;;
  'exec --url-as') kind=text ;;
  'exec --token-as') kind=text ;;
  'exec --only') kind=text ;;
  'exec --method') kind=text ;;
  'exec --allow-header') kind=text ;;
  'exec --for') kind=text ;;
  'exec --times') kind=text ;;
  'exec --askpass') kind=files ;;
  'exec --user') kind=text ;;
  'exec -s' | 'exec --scope') kind=text ;;
  'exec --resource') kind=text ;;
  'exec --audience') kind=text ;;
  'exec --authorization-details') kind=text ;;
  'serve --socket') kind=files ;;
  'serve --only') kind=text ;;
  'serve --method') kind=text ;;
  'serve --allow-header') kind=text ;;
  'serve --for') kind=text ;;
  'serve --times') kind=text ;;
  'serve --askpass') kind=files ;;
  'serve --user') kind=text ;;
  'serve -s' | 'serve --scope') kind=text ;;
  'serve --resource') kind=text ;;
  'serve --audience') kind=text ;;
  'serve --authorization-details') kind=text ;;
  'request -X' | 'request --method') kind=text ;;
  'request -H' | 'request --header') kind=text ;;
  'request -d' | 'request --data') kind=text ;;
  'request -o' | 'request --output') kind=files ;;
  'request --wait') kind=text ;;
  'request --idle') kind=words words=(never) ;;
  'request -s' | 'request --scope') kind=text ;;
  'request --resource') kind=text ;;
  'request --audience') kind=text ;;
  'request --authorization-details') kind=text ;;
  'mcp --login') kind=words words=(never ask) ;;
  'mcp -H' | 'mcp --header') kind=text ;;
  'mcp -s' | 'mcp --scope') kind=text ;;
  'mcp --resource') kind=text ;;
  'mcp --audience') kind=text ;;
  'mcp --authorization-details') kind=text ;;
  'proof -X' | 'proof --method') kind=text ;;
  'proof --nonce') kind=text ;;
  'helper --url') kind=text ;;
  'helper --user') kind=text ;;
  'helper --role-arn') kind=text ;;
  'helper --session-name') kind=text ;;
  'helper --duration') kind=text ;;
  'helper --mode') kind=text ;;
  'helper --output') kind=text ;;
  'setup --host') kind=text ;;
  'setup --name') kind=text ;;
  'setup --role-arn') kind=text ;;
  'setup --user') kind=text ;;
  'use --directory') kind=files ;;
  'events --notify') kind=words words=(on off) ;;
  'verify --issuer') kind=text ;;
  'verify --jwks') kind=files ;;
  'verify --hmac-key-file') kind=files ;;
  'verify --hmac-key-fd') kind=text ;;
  'verify --audience') kind=text ;;
  'verify --profile') kind=words words=(id-token access-token logout-token) ;;
  'verify --require') kind=text ;;
  'verify --claim') kind=text ;;
  'verify --algorithms') kind=text ;;
  'verify --type') kind=text ;;
  'verify --clock-skew') kind=text ;;
  'verify --ca-file') kind=files ;;
  'account add --issuer') kind=text ;;
  'account add --client-id') kind=text ;;
  'account add --provider') kind=words words=(apple atlassian auth0 authentik bitbucket codeberg cognito dex discord dropbox entra forgejo gitea github gitlab glewlwyd gmail google huggingface identity-center keycloak okta outlook salesforce shopify slack twitch yahoo zitadel) ;;
  'account add -s' | 'account add --scope') kind=text ;;
  'account add --resource') kind=text ;;
  'account add --audience') kind=text ;;
  'account add --parameter') kind=text ;;
  'account add --claims') kind=text ;;
  'account add --authorization-details') kind=text ;;
  'account add --token-endpoint-auth-method') kind=words words=(none client_secret_basic client_secret_post private_key_jwt tls_client_auth self_signed_tls_client_auth) ;;
  'account add --client-key-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account add --client-key-id') kind=text ;;
  'account add --assertion-file') kind=files ;;
  'account add --assertion-from') kind=words words=(github-actions gitlab-ci kubernetes) ;;
  'account add --assertion-variable') kind=text ;;
  'account add --assertion-account') kind=text ;;
  'account add --assertion-grant') kind=words words=(jwt-bearer token-exchange client-credentials) ;;
  'account add --assertion-audience') kind=text ;;
  'account add --id-token-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512) ;;
  'account add --userinfo-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account add --trust-audience') kind=text ;;
  'account add --ca-file') kind=files ;;
  'account add --pin') kind=text ;;
  'account add --authorization-endpoint') kind=text ;;
  'account add --token-endpoint') kind=text ;;
  'account add --device-authorization-endpoint') kind=text ;;
  'account add --userinfo-endpoint') kind=text ;;
  'account add --revocation-endpoint') kind=text ;;
  'account add --registration-endpoint') kind=text ;;
  'account add --jwks-uri') kind=text ;;
  'account add --redirect-uri') kind=text ;;
  'account add --proxy') kind=text ;;
  'account add --key') kind=words words=(vault tpm2) ;;
  'account add --profile') kind=words words=(fapi2) ;;
  'account add --host') kind=text ;;
  'account add --refresh') kind=words words=(on-demand proactive background offline strict) ;;
  'account add --var') kind=text ;;
  'account add --protect') kind=words words=(device passphrase tpm2) ;;
  'account add --passphrase-file') kind=files ;;
  'account add --passphrase-fd') kind=text ;;
  'account add --pin-file') kind=files ;;
  'account add --pin-fd') kind=text ;;
  'account set --issuer') kind=text ;;
  'account set --client-id') kind=text ;;
  'account set --provider') kind=words words=(apple atlassian auth0 authentik bitbucket codeberg cognito dex discord dropbox entra forgejo gitea github gitlab glewlwyd gmail google huggingface identity-center keycloak okta outlook salesforce shopify slack twitch yahoo zitadel) ;;
  'account set -s' | 'account set --scope') kind=text ;;
  'account set --resource') kind=text ;;
  'account set --audience') kind=text ;;
  'account set --parameter') kind=text ;;
  'account set --claims') kind=text ;;
  'account set --authorization-details') kind=text ;;
  'account set --token-endpoint-auth-method') kind=words words=(none client_secret_basic client_secret_post private_key_jwt tls_client_auth self_signed_tls_client_auth) ;;
  'account set --client-key-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account set --client-key-id') kind=text ;;
  'account set --assertion-file') kind=files ;;
  'account set --assertion-from') kind=words words=(github-actions gitlab-ci kubernetes) ;;
  'account set --assertion-variable') kind=text ;;
  'account set --assertion-account') kind=text ;;
  'account set --assertion-grant') kind=words words=(jwt-bearer token-exchange client-credentials) ;;
  'account set --assertion-audience') kind=text ;;
  'account set --id-token-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512) ;;
  'account set --userinfo-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account set --trust-audience') kind=text ;;
  'account set --ca-file') kind=files ;;
  'account set --pin') kind=text ;;
  'account set --authorization-endpoint') kind=text ;;
  'account set --token-endpoint') kind=text ;;
  'account set --device-authorization-endpoint') kind=text ;;
  'account set --userinfo-endpoint') kind=text ;;
  'account set --revocation-endpoint') kind=text ;;
  'account set --registration-endpoint') kind=text ;;
  'account set --jwks-uri') kind=text ;;
  'account set --redirect-uri') kind=text ;;
  'account set --proxy') kind=text ;;
  'account set --key') kind=words words=(vault tpm2) ;;
  'account set --profile') kind=words words=(fapi2) ;;
  'account set --host') kind=text ;;
  'account set --refresh') kind=words words=(on-demand proactive background offline strict) ;;
  'account set --var') kind=text ;;
  'account set --protect') kind=words words=(device passphrase tpm2) ;;
  'account set --passphrase-file') kind=files ;;
  'account set --passphrase-fd') kind=text ;;
  'account set --pin-file') kind=files ;;
  'account set --pin-fd') kind=text ;;
  'account set --unset') kind=words words=(provider scope resource audience parameter claims authorization-details token-endpoint-auth-method basic-unencoded client-certificate-file client-key-algorithm client-key-id assertion-file assertion-from assertion-variable assertion-account assertion-grant assertion-audience id-token-algorithm userinfo-algorithm trust-audience ca-file pin allow-http-loopback authorization-endpoint token-endpoint device-authorization-endpoint userinfo-endpoint revocation-endpoint registration-endpoint jwks-uri redirect-uri proxy keep dpop key profile host refresh var token-files) ;;
  'account import --issuer') kind=text ;;
  'account import --client-id') kind=text ;;
  'account import --provider') kind=words words=(apple atlassian auth0 authentik bitbucket codeberg cognito dex discord dropbox entra forgejo gitea github gitlab glewlwyd gmail google huggingface identity-center keycloak okta outlook salesforce shopify slack twitch yahoo zitadel) ;;
  'account import -s' | 'account import --scope') kind=text ;;
  'account import --resource') kind=text ;;
  'account import --audience') kind=text ;;
  'account import --parameter') kind=text ;;
  'account import --claims') kind=text ;;
  'account import --authorization-details') kind=text ;;
  'account import --token-endpoint-auth-method') kind=words words=(none client_secret_basic client_secret_post private_key_jwt tls_client_auth self_signed_tls_client_auth) ;;
  'account import --client-key-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account import --client-key-id') kind=text ;;
  'account import --assertion-file') kind=files ;;
  'account import --assertion-from') kind=words words=(github-actions gitlab-ci kubernetes) ;;
  'account import --assertion-variable') kind=text ;;
  'account import --assertion-account') kind=text ;;
  'account import --assertion-grant') kind=words words=(jwt-bearer token-exchange client-credentials) ;;
  'account import --assertion-audience') kind=text ;;
  'account import --id-token-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512) ;;
  'account import --userinfo-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account import --trust-audience') kind=text ;;
  'account import --ca-file') kind=files ;;
  'account import --pin') kind=text ;;
  'account import --authorization-endpoint') kind=text ;;
  'account import --token-endpoint') kind=text ;;
  'account import --device-authorization-endpoint') kind=text ;;
  'account import --userinfo-endpoint') kind=text ;;
  'account import --revocation-endpoint') kind=text ;;
  'account import --registration-endpoint') kind=text ;;
  'account import --jwks-uri') kind=text ;;
  'account import --redirect-uri') kind=text ;;
  'account import --proxy') kind=text ;;
  'account import --key') kind=words words=(vault tpm2) ;;
  'account import --profile') kind=words words=(fapi2) ;;
  'account import --host') kind=text ;;
  'account import --refresh') kind=words words=(on-demand proactive background offline strict) ;;
  'account import --var') kind=text ;;
  'account import --protect') kind=words words=(device passphrase tpm2) ;;
  'account import --passphrase-file') kind=files ;;
  'account import --passphrase-fd') kind=text ;;
  'account import --pin-file') kind=files ;;
  'account import --pin-fd') kind=text ;;
  'account import --client-secret-file') kind=files ;;
  'account import --client-key-file') kind=files ;;
  'account import --client-certificate-file') kind=files ;;
  'account import --refresh-token-file') kind=files ;;
  'account import --refresh-token-fd') kind=text ;;
  'account client-metadata --client-id') kind=text ;;
  'account client-metadata --redirect-uri') kind=text ;;
  'account client-metadata -s' | 'account client-metadata --scope') kind=text ;;
  'account client-metadata --token-endpoint-auth-method') kind=words words=(none client_secret_basic client_secret_post private_key_jwt tls_client_auth self_signed_tls_client_auth) ;;
  'account client-metadata --client-key-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account client-metadata --client-key-id') kind=text ;;
  'account client-metadata --id-token-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512) ;;
  'account client-metadata --userinfo-algorithm') kind=words words=(RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519) ;;
  'account client-metadata --client-key-file') kind=files ;;
  'unlock --passphrase-file') kind=files ;;
  'unlock --passphrase-fd') kind=text ;;
  'unlock --pin-file') kind=files ;;
  'unlock --pin-fd') kind=text ;;
  'vault bind --to') kind=words words=(host tpm2) ;;
  'vault add-passphrase --protection') kind=words words=(device passphrase tpm2) ;;
  'vault add-passphrase --passphrase-file') kind=files ;;
  'vault add-passphrase --passphrase-fd') kind=text ;;
  'vault change-passphrase --protection') kind=words words=(device passphrase tpm2) ;;
  'vault change-passphrase --passphrase-file') kind=files ;;
  'vault change-passphrase --passphrase-fd') kind=text ;;
  'vault change-passphrase --pin-file') kind=files ;;
  'vault change-passphrase --pin-fd') kind=text ;;
  'vault change-passphrase --new-passphrase-file') kind=files ;;
  'vault change-passphrase --new-passphrase-fd') kind=text ;;
  'vault change-passphrase --new-pin-file') kind=files ;;
  'vault change-passphrase --new-pin-fd') kind=text ;;
  'vault rotate-key --passphrase-file') kind=files ;;
  'vault rotate-key --passphrase-fd') kind=text ;;
  'vault rebind --passphrase-file') kind=files ;;
  'vault rebind --passphrase-fd') kind=text ;;
  'vault set --lock-after') kind=words words=(never) ;;
  *' -a' | *' --account') kind=accounts ;;
  *' --timeout') kind=text ;;
  *) return 1 ;;
  esac
}

# The accounts, or also the services. Whatever is printed is only compared, never evaluated.
__agent_accounts() {
  local LC_ALL=C name
  while IFS= read -r name; do
    if [[ $name =~ ^[A-Za-z0-9_][A-Za-z0-9._-]*$ ]]; then words+=("$name"); fi
  done <<<"$("$program" __complete "$1" 2>/dev/null </dev/null)"
}

_agent() {
  local program=${COMP_WORDS[0]/#\~\//"$HOME"/} current=${COMP_WORDS[COMP_CWORD]}
  local name= group= found= plain= option= operand= trailing= kind= word
  local -i index operands=0 limit=0
  local -a words=() options=() common=(-a --account --timeout --no-daemon --no-input -q --quiet -v --verbose -j --json -h --help -V --version)
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if [[ -n $option ]]; then
      # The value of the option before; bash takes "=" for a word of its own.
      [[ $word == = ]] || option=
    elif [[ $word == [:=]* ]]; then
      # What follows belongs to the word before.
      index+=1
    elif [[ $word == -- && -z $plain ]]; then
      if [[ -n $trailing ]]; then
        __agent_trailing $((index + 1))
        return
      fi
      plain=yes
    elif [[ $word == -?* && -z $plain ]]; then
      if __agent_value "$name" "$word"; then option=$word; fi
    elif [[ -n $found ]]; then
      operands+=1
      if ((operands == 1)); then group=$word; fi
    elif __agent_command "${name:+$name }$word"; then
      name=${name:+$name }$word found=yes
    elif [[ -z $name ]] && __agent_words "$word"; then
      name=$word
    else
      return
    fi
  done

  words=()
  if [[ -n $option ]]; then
    if [[ $current == = ]]; then current=; fi
    __agent_value "$name" "$option"
  elif [[ $current == -* && -z $plain ]]; then
    kind=words words=("${options[@]}" "${common[@]}")
  elif [[ -z $found ]]; then
    kind=words
    __agent_words "$name"
  elif ((operands < limit)); then
    __agent_command "$name"
    kind=$operand
  else
    kind=none
  fi
  case $kind in
  accounts | services) __agent_accounts "$kind" ;;
  commands) __agent_words "$group" ;;
  files) compopt -o default 2>/dev/null ;;
  esac
  for word in "${words[@]}"; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
}

# Completes the command to run, whose first word is the one at $1.
__agent_trailing() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 < COMP_CWORD)); then
    compopt -o default 2>/dev/null
  else
    while IFS= read -r word; do COMPREPLY+=("$word"); done <<<"$(compgen -c -- "$current")"
  fi
}

complete -F _agent agent
