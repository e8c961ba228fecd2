# Generated from the command table by "generate"; do not edit.

# Whether the option $argv[2] of the command $argv[1] takes a value.
function __agent_takes_value
    switch "$argv[1] $argv[2]"
        case 'login --issuer'
            return 0
        case 'login --client-id'
            return 0
        case 'login --provider'
            return 0
        case 'login -s'
            return 0
        case 'login --scope'
            return 0
        case 'login --resource'
            return 0
        case 'login --ca-file'
            return 0
        case 'login --host'
            return 0
        case 'login --redirect-uri'
            return 0
        case 'login --client-secret-file'
            return 0
        case 'login --client-key-file'
            return 0
        case 'login --client-certificate-file'
            return 0
        case 'login --resume'
            return 0
        case 'login --acr'
            return 0
        case 'login --max-age'
            return 0
        case 'login --claims-challenge'
            return 0
        case 'login --prompt'
            return 0
        case 'login --login-hint'
            return 0
        case 'workload --issuer'
            return 0
        case 'workload --client-id'
            return 0
        case 'workload --provider'
            return 0
        case 'workload -s'
            return 0
        case 'workload --scope'
            return 0
        case 'workload --resource'
            return 0
        case 'workload --audience'
            return 0
        case 'workload --parameter'
            return 0
        case 'workload --claims'
            return 0
        case 'workload --authorization-details'
            return 0
        case 'workload --token-endpoint-auth-method'
            return 0
        case 'workload --client-key-algorithm'
            return 0
        case 'workload --client-key-id'
            return 0
        case 'workload --assertion-file'
            return 0
        case 'workload --assertion-from'
            return 0
        case 'workload --assertion-variable'
            return 0
        case 'workload --assertion-account'
            return 0
        case 'workload --assertion-grant'
            return 0
        case 'workload --assertion-audience'
            return 0
        case 'workload --id-token-algorithm'
            return 0
        case 'workload --userinfo-algorithm'
            return 0
        case 'workload --trust-audience'
            return 0
        case 'workload --ca-file'
            return 0
        case 'workload --pin'
            return 0
        case 'workload --authorization-endpoint'
            return 0
        case 'workload --token-endpoint'
            return 0
        case 'workload --device-authorization-endpoint'
            return 0
        case 'workload --userinfo-endpoint'
            return 0
        case 'workload --revocation-endpoint'
            return 0
        case 'workload --registration-endpoint'
            return 0
        case 'workload --jwks-uri'
            return 0
        case 'workload --redirect-uri'
            return 0
        case 'workload --proxy'
            return 0
        case 'workload --key'
            return 0
        case 'workload --profile'
            return 0
        case 'workload --host'
            return 0
        case 'workload --refresh'
            return 0
        case 'workload --var'
            return 0
        case 'workload --protect'
            return 0
        case 'workload --passphrase-file'
            return 0
        case 'workload --passphrase-fd'
            return 0
        case 'workload --pin-file'
            return 0
        case 'workload --pin-fd'
            return 0
        case 'workload --client-secret-file'
            return 0
        case 'workload --client-key-file'
            return 0
        case 'workload --client-certificate-file'
            return 0
        case 'workload --assertion-fd'
            return 0
        case 'ssh --lend'
            return 0
        case 'ssh --only'
            return 0
        case 'ssh --method'
            return 0
        case 'ssh --allow-header'
            return 0
        case 'ssh --for'
            return 0
        case 'ssh --times'
            return 0
        case 'ssh --askpass'
            return 0
        case 'ssh -s'
            return 0
        case 'ssh --scope'
            return 0
        case 'ssh --resource'
            return 0
        case 'ssh --audience'
            return 0
        case 'ssh --authorization-details'
            return 0
        case 'ssh --url-as'
            return 0
        case 'ssh --token-as'
            return 0
        case 'token --min-valid'
            return 0
        case 'token -s'
            return 0
        case 'token --scope'
            return 0
        case 'token --resource'
            return 0
        case 'token --audience'
            return 0
        case 'token --authorization-details'
            return 0
        case 'token --wait'
            return 0
        case 'env --shell'
            return 0
        case 'env --var'
            return 0
        case 'env --hook'
            return 0
        case 'env --min-valid'
            return 0
        case 'env --wait'
            return 0
        case 'exec --var'
            return 0
        case 'exec --signal'
            return 0
        case 'exec --on-renewal'
            return 0
        case 'exec --min-valid'
            return 0
        case 'exec --wait'
            return 0
        case 'exec --url-as'
            return 0
        case 'exec --token-as'
            return 0
        case 'exec --only'
            return 0
        case 'exec --method'
            return 0
        case 'exec --allow-header'
            return 0
        case 'exec --for'
            return 0
        case 'exec --times'
            return 0
        case 'exec --askpass'
            return 0
        case 'exec --user'
            return 0
        case 'exec -s'
            return 0
        case 'exec --scope'
            return 0
        case 'exec --resource'
            return 0
        case 'exec --audience'
            return 0
        case 'exec --authorization-details'
            return 0
        case 'serve --socket'
            return 0
        case 'serve --only'
            return 0
        case 'serve --method'
            return 0
        case 'serve --allow-header'
            return 0
        case 'serve --for'
            return 0
        case 'serve --times'
            return 0
        case 'serve --askpass'
            return 0
        case 'serve --user'
            return 0
        case 'serve -s'
            return 0
        case 'serve --scope'
            return 0
        case 'serve --resource'
            return 0
        case 'serve --audience'
            return 0
        case 'serve --authorization-details'
            return 0
        case 'request -X'
            return 0
        case 'request --method'
            return 0
        case 'request -H'
            return 0
        case 'request --header'
            return 0
        case 'request -d'
            return 0
        case 'request --data'
            return 0
        case 'request -o'
            return 0
        case 'request --output'
            return 0
        case 'request --wait'
            return 0
        case 'request --idle'
            return 0
        case 'request -s'
            return 0
        case 'request --scope'
            return 0
        case 'request --resource'
            return 0
        case 'request --audience'
            return 0
        case 'request --authorization-details'
            return 0
        case 'mcp --login'
            return 0
        case 'mcp -H'
            return 0
        case 'mcp --header'
            return 0
        case 'mcp -s'
            return 0
        case 'mcp --scope'
            return 0
        case 'mcp --resource'
            return 0
        case 'mcp --audience'
            return 0
        case 'mcp --authorization-details'
            return 0
        case 'proof -X'
            return 0
        case 'proof --method'
            return 0
        case 'proof --nonce'
            return 0
        case 'helper --url'
            return 0
        case 'helper --user'
            return 0
        case 'helper --role-arn'
            return 0
        case 'helper --session-name'
            return 0
        case 'helper --duration'
            return 0
        case 'helper --mode'
            return 0
        case 'helper --output'
            return 0
        case 'setup --host'
            return 0
        case 'setup --name'
            return 0
        case 'setup --role-arn'
            return 0
        case 'setup --user'
            return 0
        case 'use --directory'
            return 0
        case 'events --notify'
            return 0
        case 'verify --issuer'
            return 0
        case 'verify --jwks'
            return 0
        case 'verify --hmac-key-file'
            return 0
        case 'verify --hmac-key-fd'
            return 0
        case 'verify --audience'
            return 0
        case 'verify --profile'
            return 0
        case 'verify --require'
            return 0
        case 'verify --claim'
            return 0
        case 'verify --algorithms'
            return 0
        case 'verify --type'
            return 0
        case 'verify --clock-skew'
            return 0
        case 'verify --ca-file'
            return 0
        case 'account add --issuer'
            return 0
        case 'account add --client-id'
            return 0
        case 'account add --provider'
            return 0
        case 'account add -s'
            return 0
        case 'account add --scope'
            return 0
        case 'account add --resource'
            return 0
        case 'account add --audience'
            return 0
        case 'account add --parameter'
            return 0
        case 'account add --claims'
            return 0
        case 'account add --authorization-details'
            return 0
        case 'account add --token-endpoint-auth-method'
            return 0
        case 'account add --client-key-algorithm'
            return 0
        case 'account add --client-key-id'
            return 0
        case 'account add --assertion-file'
            return 0
        case 'account add --assertion-from'
            return 0
        case 'account add --assertion-variable'
            return 0
        case 'account add --assertion-account'
            return 0
        case 'account add --assertion-grant'
            return 0
        case 'account add --assertion-audience'
            return 0
        case 'account add --id-token-algorithm'
            return 0
        case 'account add --userinfo-algorithm'
            return 0
        case 'account add --trust-audience'
            return 0
        case 'account add --ca-file'
            return 0
        case 'account add --pin'
            return 0
        case 'account add --authorization-endpoint'
            return 0
        case 'account add --token-endpoint'
            return 0
        case 'account add --device-authorization-endpoint'
            return 0
        case 'account add --userinfo-endpoint'
            return 0
        case 'account add --revocation-endpoint'
            return 0
        case 'account add --registration-endpoint'
            return 0
        case 'account add --jwks-uri'
            return 0
        case 'account add --redirect-uri'
            return 0
        case 'account add --proxy'
            return 0
        case 'account add --key'
            return 0
        case 'account add --profile'
            return 0
        case 'account add --host'
            return 0
        case 'account add --refresh'
            return 0
        case 'account add --var'
            return 0
        case 'account add --protect'
            return 0
        case 'account add --passphrase-file'
            return 0
        case 'account add --passphrase-fd'
            return 0
        case 'account add --pin-file'
            return 0
        case 'account add --pin-fd'
            return 0
        case 'account set --issuer'
            return 0
        case 'account set --client-id'
            return 0
        case 'account set --provider'
            return 0
        case 'account set -s'
            return 0
        case 'account set --scope'
            return 0
        case 'account set --resource'
            return 0
        case 'account set --audience'
            return 0
        case 'account set --parameter'
            return 0
        case 'account set --claims'
            return 0
        case 'account set --authorization-details'
            return 0
        case 'account set --token-endpoint-auth-method'
            return 0
        case 'account set --client-key-algorithm'
            return 0
        case 'account set --client-key-id'
            return 0
        case 'account set --assertion-file'
            return 0
        case 'account set --assertion-from'
            return 0
        case 'account set --assertion-variable'
            return 0
        case 'account set --assertion-account'
            return 0
        case 'account set --assertion-grant'
            return 0
        case 'account set --assertion-audience'
            return 0
        case 'account set --id-token-algorithm'
            return 0
        case 'account set --userinfo-algorithm'
            return 0
        case 'account set --trust-audience'
            return 0
        case 'account set --ca-file'
            return 0
        case 'account set --pin'
            return 0
        case 'account set --authorization-endpoint'
            return 0
        case 'account set --token-endpoint'
            return 0
        case 'account set --device-authorization-endpoint'
            return 0
        case 'account set --userinfo-endpoint'
            return 0
        case 'account set --revocation-endpoint'
            return 0
        case 'account set --registration-endpoint'
            return 0
        case 'account set --jwks-uri'
            return 0
        case 'account set --redirect-uri'
            return 0
        case 'account set --proxy'
            return 0
        case 'account set --key'
            return 0
        case 'account set --profile'
            return 0
        case 'account set --host'
            return 0
        case 'account set --refresh'
            return 0
        case 'account set --var'
            return 0
        case 'account set --protect'
            return 0
        case 'account set --passphrase-file'
            return 0
        case 'account set --passphrase-fd'
            return 0
        case 'account set --pin-file'
            return 0
        case 'account set --pin-fd'
            return 0
        case 'account set --unset'
            return 0
        case 'account import --issuer'
            return 0
        case 'account import --client-id'
            return 0
        case 'account import --provider'
            return 0
        case 'account import -s'
            return 0
        case 'account import --scope'
            return 0
        case 'account import --resource'
            return 0
        case 'account import --audience'
            return 0
        case 'account import --parameter'
            return 0
        case 'account import --claims'
            return 0
        case 'account import --authorization-details'
            return 0
        case 'account import --token-endpoint-auth-method'
            return 0
        case 'account import --client-key-algorithm'
            return 0
        case 'account import --client-key-id'
            return 0
        case 'account import --assertion-file'
            return 0
        case 'account import --assertion-from'
            return 0
        case 'account import --assertion-variable'
            return 0
        case 'account import --assertion-account'
            return 0
        case 'account import --assertion-grant'
            return 0
        case 'account import --assertion-audience'
            return 0
        case 'account import --id-token-algorithm'
            return 0
        case 'account import --userinfo-algorithm'
            return 0
        case 'account import --trust-audience'
            return 0
        case 'account import --ca-file'
            return 0
        case 'account import --pin'
            return 0
        case 'account import --authorization-endpoint'
            return 0
        case 'account import --token-endpoint'
            return 0
        case 'account import --device-authorization-endpoint'
            return 0
        case 'account import --userinfo-endpoint'
            return 0
        case 'account import --revocation-endpoint'
            return 0
        case 'account import --registration-endpoint'
            return 0
        case 'account import --jwks-uri'
            return 0
        case 'account import --redirect-uri'
            return 0
        case 'account import --proxy'
            return 0
        case 'account import --key'
            return 0
        case 'account import --profile'
            return 0
        case 'account import --host'
            return 0
        case 'account import --refresh'
            return 0
        case 'account import --var'
            return 0
        case 'account import --protect'
            return 0
        case 'account import --passphrase-file'
            return 0
        case 'account import --passphrase-fd'
            return 0
        case 'account import --pin-file'
            return 0
        case 'account import --pin-fd'
            return 0
        case 'account import --client-secret-file'
            return 0
        case 'account import --client-key-file'
            return 0
        case 'account import --client-certificate-file'
            return 0
        case 'account import --refresh-token-file'
            return 0
        case 'account import --refresh-token-fd'
            return 0
        case 'account client-metadata --client-id'
            return 0
        case 'account client-metadata --redirect-uri'
            return 0
        case 'account client-metadata -s'
            return 0
        case 'account client-metadata --scope'
            return 0
        case 'account client-metadata --token-endpoint-auth-method'
            return 0
        case 'account client-metadata --client-key-algorithm'
            return 0
        case 'account client-metadata --client-key-id'
            return 0
        case 'account client-metadata --id-token-algorithm'
            return 0
        case 'account client-metadata --userinfo-algorithm'
            return 0
        case 'account client-metadata --client-key-file'
            return 0
        case 'unlock --passphrase-file'
            return 0
        case 'unlock --passphrase-fd'
            return 0
        case 'unlock --pin-file'
            return 0
        case 'unlock --pin-fd'
            return 0
        case 'vault bind --to'
            return 0
        case 'vault add-passphrase --protection'
            return 0
        case 'vault add-passphrase --passphrase-file'
            return 0
        case 'vault add-passphrase --passphrase-fd'
            return 0
        case 'vault change-passphrase --protection'
            return 0
        case 'vault change-passphrase --passphrase-file'
            return 0
        case 'vault change-passphrase --passphrase-fd'
            return 0
        case 'vault change-passphrase --pin-file'
            return 0
        case 'vault change-passphrase --pin-fd'
            return 0
        case 'vault change-passphrase --new-passphrase-file'
            return 0
        case 'vault change-passphrase --new-passphrase-fd'
            return 0
        case 'vault change-passphrase --new-pin-file'
            return 0
        case 'vault change-passphrase --new-pin-fd'
            return 0
        case 'vault rotate-key --passphrase-file'
            return 0
        case 'vault rotate-key --passphrase-fd'
            return 0
        case 'vault rebind --passphrase-file'
            return 0
        case 'vault rebind --passphrase-fd'
            return 0
        case 'vault set --lock-after'
            return 0
        case '* -a'
            return 0
        case '* --account'
            return 0
        case '* --timeout'
            return 0
    end
    return 1
end

function __agent_is_command
    contains -- "$argv[1]" 'login' 'workload' 'logout' 'ssh' 'token' 'env' 'exec' 'token-file' 'serve' 'lease-port' 'request' 'mcp' 'proof' 'helper' 'setup' 'doctor' 'status' 'list' 'use' 'whoami' 'events' 'verify' 'decode' 'account add' 'account show' 'account set' 'account rename' 'account remove' 'account import' 'account client-metadata' 'lock' 'unlock' 'vault status' 'vault bind' 'vault add-passphrase' 'vault change-passphrase' 'vault remove-slot' 'vault rotate-key' 'vault rebind' 'vault set-aside' 'vault check' 'vault set' 'daemon start' 'daemon stop' 'daemon restart' 'daemon status' 'daemon run' 'daemon refresh' 'daemon log' 'completions' 'help'
end

function __agent_is_group
    contains -- "$argv[1]" account vault daemon
end

# Whether the command $argv[1] runs another one.
function __agent_runs
    contains -- "$argv[1]" 'exec' 'lease-port'
end

# Whether the cursor is where a completion belongs: "word GROUP", "options [COMMAND]",
# "operand NUMBER COMMAND" or "trailing".
function __agent_at
    set -l name ''
    set -l found ''
    set -l plain ''
    set -l operands 0
    set -l option ''
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option ''
        else if test "$word" = -- -a -z "$plain"
            if __agent_runs "$name"
                test $argv[1] = trailing
                return
            end
            set plain yes
        else if test -z "$plain" && string match -q -- '-?*' $word
            if __agent_takes_value "$name" "$word"
                set option $word
            end
        else if test -n "$found"
            set operands (math $operands + 1)
        else if __agent_is_command (string trim -- "$name $word")
            set name (string trim -- "$name $word")
            set found yes
        else if test -z "$name" && __agent_is_group "$word"
            set name $word
        else
            return 1
        end
    end
    switch $argv[1]
        case word
            test -z "$found" -a "$name" = "$argv[2..-1]"
        case options
            test -z "$plain" -a \( (count $argv) = 1 -o "$name" = "$argv[2..-1]" \)
        case operand
            test -n "$found" -a "$name" = "$argv[3..-1]" -a $operands = "$argv[2]"
        case '*'
            return 1
    end
end

# The accounts, or also the services. Whatever is printed is only compared, never evaluated.
function __agent_accounts
    set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
    command -sq -- $program
    or return
    command $program __complete $argv[1] 2>/dev/null </dev/null \
        | string match -r '^[A-Za-z0-9_][A-Za-z0-9._-]*$' | string replace -r '$' \t
end

# Completes the command to run after "--".
function __agent_subcommand
    set -l words (commandline -opc)
    set -l dashes (contains -i -- -- $words)
    or return
    set -e words[1..$dashes]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

complete -c agent -f
complete -c agent -n '__agent_at trailing' -x -a '(__agent_subcommand)'
complete -c agent -n '__agent_at word ' -a 'login' -d 'Sign in to an account'
complete -c agent -n '__agent_at word ' -a 'workload' -d 'Sign in a program, without a user'
complete -c agent -n '__agent_at word ' -a 'logout' -d 'Sign out, and revoke the tokens at the server'
complete -c agent -n '__agent_at word ' -a 'ssh' -d 'Sign in on another host with this machine\'s browser'
complete -c agent -n '__agent_at word ' -a 'token' -d 'Print a valid access token'
complete -c agent -n '__agent_at word ' -a 'env' -d 'Print shell statements that set a token\'s variables'
complete -c agent -n '__agent_at word ' -a 'exec' -d 'Run a command with a token in its environment'
complete -c agent -n '__agent_at word ' -a 'token-file' -d 'Keep tokens in files while accounts are signed in'
complete -c agent -n '__agent_at word ' -a 'serve' -d 'Lend other programs requests with an account\'s token'
complete -c agent -n '__agent_at word ' -a 'lease-port' -d 'Use a lease over HTTP from another network namespace'
complete -c agent -n '__agent_at word ' -a 'request' -d 'Make a request to a resource with an account\'s token'
complete -c agent -n '__agent_at word ' -a 'mcp' -d 'Connect an MCP client to a server that wants a token'
complete -c agent -n '__agent_at word ' -a 'proof' -d 'Print a proof for one request with a bound token'
complete -c agent -n '__agent_at word ' -a 'helper' -d 'Give other programs tokens, in their own protocols'
complete -c agent -n '__agent_at word ' -a 'setup' -d 'Configure other programs to get tokens'
complete -c agent -n '__agent_at word ' -a 'doctor' -d 'Diagnose problems and suggest fixes'
complete -c agent -n '__agent_at word ' -a 'status' -d 'Show accounts and their sessions'
complete -c agent -n '__agent_at word ' -a 'list' -d 'List the accounts'
complete -c agent -n '__agent_at word ' -a 'use' -d 'Show or change the active account'
complete -c agent -n '__agent_at word ' -a 'whoami' -d 'Show who is signed in'
complete -c agent -n '__agent_at word ' -a 'events' -d 'Show events of sessions and accounts'
complete -c agent -n '__agent_at word ' -a 'verify' -d 'Verify tokens by their issuer\'s keys'
complete -c agent -n '__agent_at word ' -a 'decode' -d 'Show what a token says, without verifying it'
complete -c agent -n '__agent_at word ' -a 'account' -d 'add, show, set, rename, remove, import, client-metadata'
complete -c agent -n '__agent_at word ' -a 'lock' -d 'Lock what a passphrase or a PIN protects'
complete -c agent -n '__agent_at word ' -a 'unlock' -d 'Unlock accounts by their passphrase or PIN'
complete -c agent -n '__agent_at word ' -a 'vault' -d 'status, bind, add-passphrase, change-passphrase, remove-slot, rotate-key, rebind, set-aside, check, set'
complete -c agent -n '__agent_at word ' -a 'daemon' -d 'start, stop, restart, status, run, refresh, log'
complete -c agent -n '__agent_at word ' -a 'completions' -d 'Print the completions for a shell'
complete -c agent -n '__agent_at word ' -a 'help' -d 'Print the help of a command'
complete -c agent -n '__agent_at word account' -a 'add' -d 'Set up an account without signing in'
complete -c agent -n '__agent_at word account' -a 'show' -d 'Show the settings of an account'
complete -c agent -n '__agent_at word account' -a 'set' -d 'Change the settings of an account'
complete -c agent -n '__agent_at word account' -a 'rename' -d 'Give an account another name'
complete -c agent -n '__agent_at word account' -a 'remove' -d 'Sign out of an account and forget its settings'
complete -c agent -n '__agent_at word account' -a 'import' -d 'Set up an account with a refresh token from elsewhere'
complete -c agent -n '__agent_at word account' -a 'client-metadata' -d 'Write the metadata that a client publishes'
complete -c agent -n '__agent_at word vault' -a 'status' -d 'Show the key slots and locks of the vault'
complete -c agent -n '__agent_at word vault' -a 'bind' -d 'Bind the vault to this device again'
complete -c agent -n '__agent_at word vault' -a 'add-passphrase' -d 'Add a passphrase that opens the vault'
complete -c agent -n '__agent_at word vault' -a 'change-passphrase' -d 'Change a passphrase or the PIN'
complete -c agent -n '__agent_at word vault' -a 'remove-slot' -d 'Remove a key slot'
complete -c agent -n '__agent_at word vault' -a 'rotate-key' -d 'Make new keys, and seal everything with them'
complete -c agent -n '__agent_at word vault' -a 'rebind' -d 'Bind a vault that does not open here to this device'
complete -c agent -n '__agent_at word vault' -a 'set-aside' -d 'Set a vault aside that does not open'
complete -c agent -n '__agent_at word vault' -a 'check' -d 'Check that the whole vault can be read'
complete -c agent -n '__agent_at word vault' -a 'set' -d 'Change when the vault locks by itself'
complete -c agent -n '__agent_at word daemon' -a 'start' -d 'Start the daemon, unless it runs'
complete -c agent -n '__agent_at word daemon' -a 'stop' -d 'Stop the daemon'
complete -c agent -n '__agent_at word daemon' -a 'restart' -d 'Restart the daemon'
complete -c agent -n '__agent_at word daemon' -a 'status' -d 'Show the running daemon'
complete -c agent -n '__agent_at word daemon' -a 'run' -d 'Run the daemon in the foreground'
complete -c agent -n '__agent_at word daemon' -a 'refresh' -d 'Renew the sessions that would end unused, for a timer'
complete -c agent -n '__agent_at word daemon' -a 'log' -d 'Show the recent log of the daemon'
complete -c agent -n '__agent_at options' -s a -l account -x -a '(__agent_accounts accounts)' -d 'Act on this account instead of the active one; AGENT_ACCOUNT does the same'
complete -c agent -n '__agent_at options' -l timeout -x -d 'Give up after this time'
complete -c agent -n '__agent_at options' -l no-daemon -d 'Use a private agentd that ends with this command, as containers and build jobs need it'
complete -c agent -n '__agent_at options' -l no-input -d 'Never read from the terminal; what would need a sign-in fails at once with exit status 3, and login waits for the approval up to --timeout'
complete -c agent -n '__agent_at options' -s q -l quiet -d 'Print errors and answers only'
complete -c agent -n '__agent_at options' -s v -l verbose -d 'Print each step with its reason and duration to standard error; never a secret'
complete -c agent -n '__agent_at options' -s j -l json -d 'Print the answer, and any error, as JSON objects, one a line'
complete -c agent -n '__agent_at options' -s h -l help -d 'Print this help'
complete -c agent -n '__agent_at options' -s V -l version -d 'Print the version'
complete -c agent -n '__agent_at options login' -l issuer -x -d 'URL of the authorization server; its issuer, exactly as in its discovery document'
complete -c agent -n '__agent_at options login' -l client-id -x -d 'The client identifier registered there; or the URL of the client\'s metadata'
complete -c agent -n '__agent_at options login' -l provider -x -a 'apple\\t atlassian\\t auth0\\t authentik\\t bitbucket\\t codeberg\\t cognito\\t dex\\t discord\\t dropbox\\t entra\\t forgejo\\t gitea\\t github\\t gitlab\\t glewlwyd\\t gmail\\t google\\t huggingface\\t identity-center\\t keycloak\\t okta\\t outlook\\t salesforce\\t shopify\\t slack\\t twitch\\t yahoo\\t zitadel\\t' -d 'Use the built-in settings for this provider'
complete -c agent -n '__agent_at options login' -s s -l scope -x -d 'Scopes to request; repeat it, or separate them by spaces'
complete -c agent -n '__agent_at options login' -l resource -x -d 'Request tokens for this resource (RFC 8707); may be repeated'
complete -c agent -n '__agent_at options login' -l ca-file -r -F -d 'Also trust the certificate authorities in this file; PEM, for this account only'
complete -c agent -n '__agent_at options login' -l allow-http-loopback -d 'Allow plain http to 127.0.0.1, [::1] and localhost, for development'
complete -c agent -n '__agent_at options login' -l host -x -d 'Also permit the access token for this host; may be repeated'
complete -c agent -n '__agent_at options login' -l redirect-uri -x -d 'The registered redirect URI; compared byte by byte, and without a port any port is used'
complete -c agent -n '__agent_at options login' -l keep -d 'Keep the access token in the vault if the server issues no refresh token'
complete -c agent -n '__agent_at options login' -l client-secret-file -r -F -d 'Read the client secret from this file; - is standard input'
complete -c agent -n '__agent_at options login' -l client-secret-prompt -d 'Ask for the client secret on the terminal; it is not shown'
complete -c agent -n '__agent_at options login' -l client-key-file -r -F -d 'Read the client\'s private key from this file; PEM, which may name a key in the TPM, or a JSON Web Key; - is standard input'
complete -c agent -n '__agent_at options login' -l client-certificate-file -r -F -d 'Present the certificate in this PEM file to the server; its key is the client\'s'
complete -c agent -n '__agent_at options login' -l register -d 'Register a client at the server (RFC 7591); --client-secret-file then has the initial access token, if any'
complete -c agent -n '__agent_at options login' -l browser -d 'Sign in with a browser on this machine'
complete -c agent -n '__agent_at options login' -l device -d 'Sign in with a code typed on any device'
complete -c agent -n '__agent_at options login' -l paste -d 'Sign in with a browser on any machine; paste its final address'
complete -c agent -n '__agent_at options login' -l no-open -d 'Show the address, but open no browser'
complete -c agent -n '__agent_at options login' -l no-keep -d 'Keep the access token in memory only, and do not ask about it'
complete -c agent -n '__agent_at options login' -l ephemeral -d 'Keep account and session in memory only: nothing is written, and both end with the daemon or a sign-out'
complete -c agent -n '__agent_at options login' -l if-needed -d 'Sign in only if no token is available; otherwise print who is signed in'
complete -c agent -n '__agent_at options login' -l ended -d 'Sign in again to every account whose session has ended'
complete -c agent -n '__agent_at options login' -l start -d 'Print the instructions and the sign-in\'s ID, or with --resume its state, and return at once'
complete -c agent -n '__agent_at options login' -l resume -x -d 'Wait for a sign-in that was started with --start'
complete -c agent -n '__agent_at options login' -l acr -x -d 'Ask for one of these kinds of sign-in; may be given several times'
complete -c agent -n '__agent_at options login' -l max-age -x -d 'Require re-authentication after this time'
complete -c agent -n '__agent_at options login' -l claims-challenge -x -d 'Ask for the claims that a resource requires, in JSON or base64'
complete -c agent -n '__agent_at options login' -l prompt -x -d 'Prompt that the server must show, such as login, consent or select_account'
complete -c agent -n '__agent_at options login' -l login-hint -x -d 'User name to suggest'
complete -c agent -n '__agent_at operand 0 login' -a '(__agent_accounts services)'
complete -c agent -n '__agent_at options workload' -l issuer -x -d 'URL of the authorization server; its issuer, exactly as in its discovery document'
complete -c agent -n '__agent_at options workload' -l client-id -x -d 'The client identifier registered there; or the URL of the client\'s metadata'
complete -c agent -n '__agent_at options workload' -l provider -x -a 'apple\\t atlassian\\t auth0\\t authentik\\t bitbucket\\t codeberg\\t cognito\\t dex\\t discord\\t dropbox\\t entra\\t forgejo\\t gitea\\t github\\t gitlab\\t glewlwyd\\t gmail\\t google\\t huggingface\\t identity-center\\t keycloak\\t okta\\t outlook\\t salesforce\\t shopify\\t slack\\t twitch\\t yahoo\\t zitadel\\t' -d 'Use the built-in settings for this provider'
complete -c agent -n '__agent_at options workload' -s s -l scope -x -d 'Scopes to request; repeat it, or separate them by spaces'
complete -c agent -n '__agent_at options workload' -l resource -x -d 'Request tokens for this resource (RFC 8707); may be repeated'
complete -c agent -n '__agent_at options workload' -l audience -x -d 'Request tokens with this audience; the server must support it'
complete -c agent -n '__agent_at options workload' -l parameter -x -d 'Send this additional parameter to sign in; may be repeated'
complete -c agent -n '__agent_at options workload' -l claims -x -d 'Request these claims (OpenID Connect Core, section 5.5); @FILE reads them from a file'
complete -c agent -n '__agent_at options workload' -l authorization-details -x -d 'Request this authorization (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options workload' -l token-endpoint-auth-method -x -a 'none\\t client_secret_basic\\t client_secret_post\\t private_key_jwt\\t tls_client_auth\\t self_signed_tls_client_auth\\t' -d 'How the client authenticates; default: by its credentials and the server\'s metadata'
complete -c agent -n '__agent_at options workload' -l basic-unencoded -d 'Omit the form encoding in client_secret_basic, for servers that do not decode it'
complete -c agent -n '__agent_at options workload' -l client-key-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Signing algorithm of private_key_jwt; default: that of the key'
complete -c agent -n '__agent_at options workload' -l client-key-id -x -d 'Key ID of the client\'s key at the server; a JSON Web Key may have its own'
complete -c agent -n '__agent_at options workload' -l assertion-file -r -F -d 'Sign in with the JWT in this file; a platform writes it, and renewals read it again'
complete -c agent -n '__agent_at options workload' -l assertion-from -x -a 'github-actions\\t gitlab-ci\\t kubernetes\\t' -d 'Sign in with the JWT of this platform; for its jobs or pods, also to renew'
complete -c agent -n '__agent_at options workload' -l assertion-variable -x -d 'Variable with the JWT of --assertion-from gitlab-ci; its name in id_tokens: of the job'
complete -c agent -n '__agent_at options workload' -l assertion-account -x -d 'Sign in with a JWT that this account\'s server issues for its user; also to renew'
complete -c agent -n '__agent_at options workload' -l assertion-grant -x -a 'jwt-bearer\\t token-exchange\\t client-credentials\\t' -d 'How the assertion gets a token: as a grant, in an exchange, or as the client\'s credential'
complete -c agent -n '__agent_at options workload' -l assertion-audience -x -d 'Audience of assertions: issuer, token_endpoint, endpoint, or any other text'
complete -c agent -n '__agent_at options workload' -l id-token-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t HS256\\t HS384\\t HS512\\t' -d 'Accept only ID Tokens with this algorithm; HS256, HS384 and HS512 use the client secret'
complete -c agent -n '__agent_at options workload' -l userinfo-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Accept only UserInfo signed with this algorithm'
complete -c agent -n '__agent_at options workload' -l trust-audience -x -d 'Also accept ID Tokens for this audience; may be repeated'
complete -c agent -n '__agent_at options workload' -l ca-file -r -F -d 'Also trust the certificate authorities in this file; PEM, for this account only'
complete -c agent -n '__agent_at options workload' -l pin -x -d 'Accept only servers with this public key; may be repeated'
complete -c agent -n '__agent_at options workload' -l allow-http-loopback -d 'Allow plain http to 127.0.0.1, [::1] and localhost, for development'
complete -c agent -n '__agent_at options workload' -l authorization-endpoint -x -d 'Use this authorization endpoint'
complete -c agent -n '__agent_at options workload' -l token-endpoint -x -d 'Use this token endpoint'
complete -c agent -n '__agent_at options workload' -l device-authorization-endpoint -x -d 'Use this device authorization endpoint'
complete -c agent -n '__agent_at options workload' -l userinfo-endpoint -x -d 'Use this UserInfo endpoint'
complete -c agent -n '__agent_at options workload' -l revocation-endpoint -x -d 'Use this revocation endpoint'
complete -c agent -n '__agent_at options workload' -l registration-endpoint -x -d 'Use this client registration endpoint'
complete -c agent -n '__agent_at options workload' -l jwks-uri -x -d 'Read the issuer\'s keys from this URL'
complete -c agent -n '__agent_at options workload' -l redirect-uri -x -d 'The registered redirect URI; compared byte by byte, and without a port any port is used'
complete -c agent -n '__agent_at options workload' -l proxy -x -d 'Use this proxy; or none, or environment for that of the caller\'s environment'
complete -c agent -n '__agent_at options workload' -l keep -d 'Keep the access token in the vault if the server issues no refresh token'
complete -c agent -n '__agent_at options workload' -l dpop -d 'Bind the tokens to a key (DPoP); it never leaves agentd, so a stolen token is useless'
complete -c agent -n '__agent_at options workload' -l key -x -a 'vault\\t tpm2\\t' -d 'Where to create the keys for tokens and new clients: in the vault or in the TPM'
complete -c agent -n '__agent_at options workload' -l profile -x -a 'fapi2\\t' -d 'Refuse servers and responses that violate this security profile; fapi2 is FAPI 2.0'
complete -c agent -n '__agent_at options workload' -l host -x -d 'Also permit the access token for this host; may be repeated'
complete -c agent -n '__agent_at options workload' -l refresh -x -a 'on-demand\\t proactive\\t background\\t offline\\t strict\\t' -d 'When tokens are refreshed (default: proactive); see agent-config(5)'
complete -c agent -n '__agent_at options workload' -l var -x -d 'Set this variable for shells and commands, instead of the default ones; may be repeated'
complete -c agent -n '__agent_at options workload' -l protect -x -a 'device\\t passphrase\\t tpm2\\t' -d 'What opens the session in the vault; this device, a passphrase, or the TPM with a PIN'
complete -c agent -n '__agent_at options workload' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options workload' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options workload' -l pin-file -r -F -d 'Read the PIN from this file; - is standard input'
complete -c agent -n '__agent_at options workload' -l pin-fd -x -d 'Read the PIN from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options workload' -l client-secret-file -r -F -d 'Read the client secret from this file; - is standard input'
complete -c agent -n '__agent_at options workload' -l client-secret-prompt -d 'Ask for the client secret on the terminal; it is not shown'
complete -c agent -n '__agent_at options workload' -l client-key-file -r -F -d 'Read the client\'s private key from this file; PEM, which may name a key in the TPM, or a JSON Web Key; - is standard input'
complete -c agent -n '__agent_at options workload' -l client-certificate-file -r -F -d 'Present the certificate in this PEM file to the server; its key is the client\'s'
complete -c agent -n '__agent_at options workload' -l assertion-fd -x -d 'Sign in with a JWT from this open descriptor; it works once'
complete -c agent -n '__agent_at options workload' -l register -d 'Register a client at the server (RFC 7591); --client-secret-file then has the initial access token, if any'
complete -c agent -n '__agent_at options workload' -l ephemeral -d 'Keep account and session in memory only: nothing is written, and both end with the daemon or a sign-out'
complete -c agent -n '__agent_at options workload' -l if-needed -d 'Sign in only if no token is available; otherwise print who is signed in'
complete -c agent -n '__agent_at operand 0 workload' -a '(__agent_accounts services)'
complete -c agent -n '__agent_at options logout' -l all -d 'Sign out of all accounts'
complete -c agent -n '__agent_at options logout' -l local -d 'Delete the session here without revoking it at the server'
complete -c agent -n '__agent_at options logout' -l browser -d 'Then open the page that ends the browser\'s session at the server'
complete -c agent -n '__agent_at options logout' -l no-open -d 'With --browser: show the address, but open no browser'
complete -c agent -n '__agent_at operand 0 logout' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options ssh' -l lend -x -a '(__agent_accounts accounts)' -d 'Let programs on the host send requests as this account'
complete -c agent -n '__agent_at options ssh' -l only -x -d 'Permit this host, origin, or URL and all below it; may be given several times'
complete -c agent -n '__agent_at options ssh' -l method -x -d 'Permit this method; may be given several times'
complete -c agent -n '__agent_at options ssh' -l allow-header -x -d 'Forward this header too; may be given several times'
complete -c agent -n '__agent_at options ssh' -l for -x -d 'End the lease after this time'
complete -c agent -n '__agent_at options ssh' -l times -x -d 'End the lease after this many requests'
complete -c agent -n '__agent_at options ssh' -l hand-out-token -d 'Also hand out the token of --scope, if the server limits it to that scope'
complete -c agent -n '__agent_at options ssh' -l confirm -d 'Ask before the first request to each origin'
complete -c agent -n '__agent_at options ssh' -l askpass -r -F -d 'Ask with this program: status 0 means yes; by default SSH_ASKPASS'
complete -c agent -n '__agent_at options ssh' -l no-jail -d 'Serve the lease even if the kernel cannot filter system calls (seccomp)'
complete -c agent -n '__agent_at options ssh' -s s -l scope -x -d 'Ask for a token with these scopes only; may be given several times'
complete -c agent -n '__agent_at options ssh' -l resource -x -d 'Ask for a token for this resource (RFC 8707); may be given several times'
complete -c agent -n '__agent_at options ssh' -l audience -x -d 'Ask for a token with this audience'
complete -c agent -n '__agent_at options ssh' -l authorization-details -x -d 'Ask for a token with this authorization only (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options ssh' -l exchange -d 'Exchange the account\'s own token for it (RFC 8693)'
complete -c agent -n '__agent_at options ssh' -l url-as -x -d 'Serve the resource of --only by plain HTTP on this machine, and set this variable to its URL; once for each'
complete -c agent -n '__agent_at options ssh' -l token-as -x -d 'Set this variable to a token valid only at the URLs of --url-as'
complete -c agent -n '__agent_at options ssh' -l ask -d 'Sign in or unlock on the terminal first, if needed'
complete -c agent -n '__agent_at options token' -l min-valid -x -d 'Minimum time left for the token (default: 1m); less if its whole lifetime is below 10m'
complete -c agent -n '__agent_at options token' -s s -l scope -x -d 'Ask for a token with these scopes only; may be given several times'
complete -c agent -n '__agent_at options token' -l resource -x -d 'Ask for a token for this resource (RFC 8707); may be given several times'
complete -c agent -n '__agent_at options token' -l audience -x -d 'Ask for a token with this audience'
complete -c agent -n '__agent_at options token' -l authorization-details -x -d 'Ask for a token with this authorization only (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options token' -l exchange -d 'Exchange the account\'s own token for it (RFC 8693)'
complete -c agent -n '__agent_at options token' -l wait -x -d 'Wait this long if the server cannot be reached; in addition to --timeout'
complete -c agent -n '__agent_at options token' -l force-refresh -d 'Get a new token even if the cached one is valid'
complete -c agent -n '__agent_at options token' -l header -d 'Print a whole Authorization header line'
complete -c agent -n '__agent_at options token' -l id-token -d 'Take the ID Token instead of the access token'
complete -c agent -n '__agent_at options token' -l ask -d 'Sign in or unlock on the terminal first, if needed'
complete -c agent -n '__agent_at operand 0 token' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options env' -l shell -x -a 'sh\\t bash\\t zsh\\t fish\\t csh\\t powershell\\t nu\\t dotenv\\t systemd\\t github-actions\\t json\\t' -d 'The shell to write for (default: sh)'
complete -c agent -n '__agent_at options env' -l var -x -d 'Set NAME to a field such as access_token or claim:email; only those named are set'
complete -c agent -n '__agent_at options env' -l unset -d 'Print statements that unset the variables'
complete -c agent -n '__agent_at options env' -l hook -x -a 'bash\\t zsh\\t fish\\t' -d 'Print a function for the prompt; it keeps the variables fresh'
complete -c agent -n '__agent_at options env' -l min-valid -x -d 'Minimum time left for the token (default: 1m); less if its whole lifetime is below 10m'
complete -c agent -n '__agent_at options env' -l wait -x -d 'Wait this long if the server cannot be reached; in addition to --timeout'
complete -c agent -n '__agent_at options env' -l ask -d 'Sign in or unlock on the terminal first, if needed'
complete -c agent -n '__agent_at operand 0 env' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options exec' -l var -x -d 'Set NAME to a field such as access_token or claim:email; only those named are set'
complete -c agent -n '__agent_at options exec' -l token-file -d 'Put the token into a file that is kept fresh; while the command runs'
complete -c agent -n '__agent_at options exec' -l id-token -d 'Take the ID Token instead of the access token'
complete -c agent -n '__agent_at options exec' -l signal -x -d 'Send this signal when the token file has changed'
complete -c agent -n '__agent_at options exec' -l on-renewal -r -F -d 'Run this program when the token file has changed'
complete -c agent -n '__agent_at options exec' -l min-valid -x -d 'Minimum time left for the token (default: 1m); less if its whole lifetime is below 10m'
complete -c agent -n '__agent_at options exec' -l wait -x -d 'Wait this long if the server cannot be reached; in addition to --timeout'
complete -c agent -n '__agent_at options exec' -l lease -d 'Let the command make requests without giving it a token'
complete -c agent -n '__agent_at options exec' -l url-as -x -d 'Serve the resource of --only by plain HTTP on this machine, and set this variable to its URL; once for each'
complete -c agent -n '__agent_at options exec' -l token-as -x -d 'Set this variable to a token valid only at the URLs of --url-as'
complete -c agent -n '__agent_at options exec' -l ask -d 'Sign in or unlock on the terminal first, if needed'
complete -c agent -n '__agent_at options exec' -l only -x -d 'Permit this host, origin, or URL and all below it; may be given several times'
complete -c agent -n '__agent_at options exec' -l method -x -d 'Permit this method; may be given several times'
complete -c agent -n '__agent_at options exec' -l allow-header -x -d 'Forward this header too; may be given several times'
complete -c agent -n '__agent_at options exec' -l for -x -d 'End the lease after this time'
complete -c agent -n '__agent_at options exec' -l times -x -d 'End the lease after this many requests'
complete -c agent -n '__agent_at options exec' -l hand-out-token -d 'Also hand out the token of --scope, if the server limits it to that scope'
complete -c agent -n '__agent_at options exec' -l confirm -d 'Ask before the first request to each origin'
complete -c agent -n '__agent_at options exec' -l askpass -r -F -d 'Ask with this program: status 0 means yes; by default SSH_ASKPASS'
complete -c agent -n '__agent_at options exec' -l user -x -d 'Also admit this user\'s processes; may be given several times'
complete -c agent -n '__agent_at options exec' -l no-jail -d 'Serve the lease even if the kernel cannot filter system calls (seccomp)'
complete -c agent -n '__agent_at options exec' -s s -l scope -x -d 'Ask for a token with these scopes only; may be given several times'
complete -c agent -n '__agent_at options exec' -l resource -x -d 'Ask for a token for this resource (RFC 8707); may be given several times'
complete -c agent -n '__agent_at options exec' -l audience -x -d 'Ask for a token with this audience'
complete -c agent -n '__agent_at options exec' -l authorization-details -x -d 'Ask for a token with this authorization only (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options exec' -l exchange -d 'Exchange the account\'s own token for it (RFC 8693)'
complete -c agent -n '__agent_at operand 0 exec' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options token-file' -l id-token -d 'Keep the ID Token instead of the access token'
complete -c agent -n '__agent_at options token-file' -l wlcg -d 'Use the path that programs of the grid try; bt_uUID in XDG_RUNTIME_DIR'
complete -c agent -n '__agent_at operand 0 token-file' -a 'add\\t remove\\t'
complete -c agent -n '__agent_at operand 1 token-file' -a 'add\\t remove\\t'
complete -c agent -n '__agent_at operand 2 token-file' -a 'add\\t remove\\t'
complete -c agent -n '__agent_at options serve' -l socket -r -F -d 'Create the socket here; the directory must be closed to other users'
complete -c agent -n '__agent_at options serve' -l only -x -d 'Permit this host, origin, or URL and all below it; may be given several times'
complete -c agent -n '__agent_at options serve' -l method -x -d 'Permit this method; may be given several times'
complete -c agent -n '__agent_at options serve' -l allow-header -x -d 'Forward this header too; may be given several times'
complete -c agent -n '__agent_at options serve' -l for -x -d 'End the lease after this time'
complete -c agent -n '__agent_at options serve' -l times -x -d 'End the lease after this many requests'
complete -c agent -n '__agent_at options serve' -l hand-out-token -d 'Also hand out the token of --scope, if the server limits it to that scope'
complete -c agent -n '__agent_at options serve' -l confirm -d 'Ask before the first request to each origin'
complete -c agent -n '__agent_at options serve' -l askpass -r -F -d 'Ask with this program: status 0 means yes; by default SSH_ASKPASS'
complete -c agent -n '__agent_at options serve' -l user -x -d 'Also admit this user\'s processes; may be given several times'
complete -c agent -n '__agent_at options serve' -l no-jail -d 'Serve the lease even if the kernel cannot filter system calls (seccomp)'
complete -c agent -n '__agent_at options serve' -s s -l scope -x -d 'Ask for a token with these scopes only; may be given several times'
complete -c agent -n '__agent_at options serve' -l resource -x -d 'Ask for a token for this resource (RFC 8707); may be given several times'
complete -c agent -n '__agent_at options serve' -l audience -x -d 'Ask for a token with this audience'
complete -c agent -n '__agent_at options serve' -l authorization-details -x -d 'Ask for a token with this authorization only (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options serve' -l exchange -d 'Exchange the account\'s own token for it (RFC 8693)'
complete -c agent -n '__agent_at operand 0 serve' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at operand 0 lease-port' -F
complete -c agent -n '__agent_at options request' -s X -l method -x -d 'The method of the request'
complete -c agent -n '__agent_at options request' -s H -l header -x -d 'Send this header, Name: value; may be given several times'
complete -c agent -n '__agent_at options request' -s d -l data -x -d 'Send this text, or the file after @; standard input for @-; several texts are joined by &'
complete -c agent -n '__agent_at options request' -s o -l output -r -F -d 'Write the body to this file; it is replaced when the response begins'
complete -c agent -n '__agent_at options request' -s i -l include -d 'Also write the status and the headers; before the body, with an empty line'
complete -c agent -n '__agent_at options request' -l raw -d 'Also write the control characters of the body to a terminal'
complete -c agent -n '__agent_at options request' -l wait -x -d 'Wait this long if the server cannot be reached; in addition to --timeout'
complete -c agent -n '__agent_at options request' -l idle -x -a 'never\\t' -d 'Limit the time without progress once the response has begun; never for a stream of events'
complete -c agent -n '__agent_at options request' -l ask -d 'Sign in or unlock on the terminal first, if needed'
complete -c agent -n '__agent_at options request' -s s -l scope -x -d 'Ask for a token with these scopes only; may be given several times'
complete -c agent -n '__agent_at options request' -l resource -x -d 'Ask for a token for this resource (RFC 8707); may be given several times'
complete -c agent -n '__agent_at options request' -l audience -x -d 'Ask for a token with this audience'
complete -c agent -n '__agent_at options request' -l authorization-details -x -d 'Ask for a token with this authorization only (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options request' -l exchange -d 'Exchange the account\'s own token for it (RFC 8693)'
complete -c agent -n '__agent_at operand 0 request' -a 'GET\\t HEAD\\t POST\\t PUT\\t PATCH\\t DELETE\\t OPTIONS\\t'
complete -c agent -n '__agent_at operand 1 request' -a 'GET\\t HEAD\\t POST\\t PUT\\t PATCH\\t DELETE\\t OPTIONS\\t'
complete -c agent -n '__agent_at options mcp' -l login -x -a 'never\\t ask\\t' -d 'Start the sign-ins that calls need'
complete -c agent -n '__agent_at options mcp' -s H -l header -x -d 'Send this header with each request; may be given several times'
complete -c agent -n '__agent_at options mcp' -s s -l scope -x -d 'Ask for a token with these scopes only; may be given several times'
complete -c agent -n '__agent_at options mcp' -l resource -x -d 'Ask for a token for this resource (RFC 8707); may be given several times'
complete -c agent -n '__agent_at options mcp' -l audience -x -d 'Ask for a token with this audience'
complete -c agent -n '__agent_at options mcp' -l authorization-details -x -d 'Ask for a token with this authorization only (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options mcp' -l exchange -d 'Exchange the account\'s own token for it (RFC 8693)'
complete -c agent -n '__agent_at options proof' -s X -l method -x -d 'The method of the request'
complete -c agent -n '__agent_at options proof' -l nonce -x -d 'Use this nonce from the server\'s DPoP-Nonce header'
complete -c agent -n '__agent_at options proof' -l header -d 'Print whole Authorization and DPoP header lines'
complete -c agent -n '__agent_at operand 0 proof' -a 'GET\\t HEAD\\t POST\\t PUT\\t PATCH\\t DELETE\\t OPTIONS\\t'
complete -c agent -n '__agent_at operand 1 proof' -a 'GET\\t HEAD\\t POST\\t PUT\\t PATCH\\t DELETE\\t OPTIONS\\t'
complete -c agent -n '__agent_at options helper' -l url -x -d 'The URL to get a token for'
complete -c agent -n '__agent_at options helper' -l user -x -d 'The user name or mail address for the token'
complete -c agent -n '__agent_at options helper' -l role-arn -x -d 'The role that aws gets credentials for'
complete -c agent -n '__agent_at options helper' -l session-name -x -d 'The name of the role\'s session; by default agentd'
complete -c agent -n '__agent_at options helper' -l duration -x -d 'The lifetime of the role\'s credentials'
complete -c agent -n '__agent_at options helper' -l mode -x -d 'What keyring prints: password or creds'
complete -c agent -n '__agent_at options helper' -l output -x -d 'How keyring prints it: plain or json'
complete -c agent -n '__agent_at operand 0 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 1 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 2 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 3 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 4 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 5 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 6 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 7 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 8 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 9 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 10 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 11 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 12 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 13 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 14 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at operand 15 helper' -a 'git\\t docker\\t kubectl\\t aws\\t keyring\\t cargo\\t go\\t curl\\t header\\t xoauth2\\t oauthbearer\\t mcp\\t gcp\\t netrc\\t'
complete -c agent -n '__agent_at options setup' -l host -x -d 'The host or URL to get tokens for'
complete -c agent -n '__agent_at options setup' -l name -x -d 'The name of the profile, registry or server; in the program\'s own settings'
complete -c agent -n '__agent_at options setup' -l role-arn -x -d 'The role that aws gets credentials for'
complete -c agent -n '__agent_at options setup' -l user -x -d 'The user name or mail address for the token'
complete -c agent -n '__agent_at options setup' -l print -d 'Print what to put into the settings, and change nothing'
complete -c agent -n '__agent_at options setup' -l dry-run -d 'Show what would be added, and change nothing'
complete -c agent -n '__agent_at options setup' -l undo -d 'Remove what was added'
complete -c agent -n '__agent_at options setup' -l test -d 'Ask for a credential as the program would'
complete -c agent -n '__agent_at options setup' -s y -l yes -d 'Do not ask for confirmation'
complete -c agent -n '__agent_at operand 0 setup' -a 'git\\t docker\\t aws\\t cargo\\t go\\t pip\\t uv\\t mcp\\t kubectl\\t msmtp\\t mbsync\\t neomutt\\t aerc\\t'
complete -c agent -n '__agent_at operand 0 doctor' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options status' -l check -d 'Ask the servers whether the sessions are still valid'
complete -c agent -n '__agent_at options status' -l utc -d 'Show times in UTC instead of local time'
complete -c agent -n '__agent_at operand 0 status' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options list' -l utc -d 'Show times in UTC instead of local time'
complete -c agent -n '__agent_at options use' -l here -d 'Choose the account for this directory; and those below it'
complete -c agent -n '__agent_at options use' -l directory -r -F -d 'Choose the account for that directory; and those below it'
complete -c agent -n '__agent_at options use' -l clear -d 'Reset the directory\'s account'
complete -c agent -n '__agent_at operand 0 use' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at operand 0 whoami' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options events' -s f -l follow -d 'Show new events until interrupted'
complete -c agent -n '__agent_at options events' -l utc -d 'Show times in UTC instead of local time'
complete -c agent -n '__agent_at options events' -l lease -d 'Show the events of leases'
complete -c agent -n '__agent_at options events' -l notify -x -a 'on\\t off\\t' -d 'Show a desktop notice when a session ends'
complete -c agent -n '__agent_at operand 0 events' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options verify' -l issuer -x -d 'Use the keys of this issuer; it need not be an account\'s; with --jwks, the token must be from it'
complete -c agent -n '__agent_at options verify' -l jwks -r -F -d 'Use the keys in this file; a JWK Set, a single public JWK, or public keys in PEM form'
complete -c agent -n '__agent_at options verify' -l hmac-key-file -r -F -d 'Verify by HMAC (HS256, HS384, HS512) with the secret in this file; - is standard input'
complete -c agent -n '__agent_at options verify' -l hmac-key-fd -x -d 'Read the secret of the HMAC from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options verify' -l audience -x -d 'The token must be for this audience (aud); if several are given, one is enough'
complete -c agent -n '__agent_at options verify' -l profile -x -a 'id-token\\t access-token\\t logout-token\\t' -d 'Require this kind of token, with all its required claims'
complete -c agent -n '__agent_at options verify' -l require -x -d 'Require these claims, such as sub,jti; in addition to exp, separated by commas'
complete -c agent -n '__agent_at options verify' -l allow-missing -d 'Accept a token without an expiry time (exp)'
complete -c agent -n '__agent_at options verify' -l claim -x -d 'Require this value of a claim, or this element of a list; may be given several times'
complete -c agent -n '__agent_at options verify' -l algorithms -x -d 'Accept only these algorithms, such as RS256,ES256; separated by commas'
complete -c agent -n '__agent_at options verify' -l type -x -d 'The token must be of this type (typ), such as at+jwt'
complete -c agent -n '__agent_at options verify' -l signature-only -d 'Check only the signature; the payload need not be a set of claims'
complete -c agent -n '__agent_at options verify' -l clock-skew -x -d 'How far clocks may differ (default: 1m)'
complete -c agent -n '__agent_at options verify' -l ca-file -r -F -d 'Also trust the certificate authorities in this PEM file for the issuer of --issuer'
complete -c agent -n '__agent_at options verify' -l allow-http-loopback -d 'Allow plain http to this machine for the issuer of --issuer'
complete -c agent -n '__agent_at operand 0 verify' -F
complete -c agent -n '__agent_at operand 0 decode' -F
complete -c agent -n '__agent_at options account add' -l issuer -x -d 'URL of the authorization server; its issuer, exactly as in its discovery document'
complete -c agent -n '__agent_at options account add' -l client-id -x -d 'The client identifier registered there; or the URL of the client\'s metadata'
complete -c agent -n '__agent_at options account add' -l provider -x -a 'apple\\t atlassian\\t auth0\\t authentik\\t bitbucket\\t codeberg\\t cognito\\t dex\\t discord\\t dropbox\\t entra\\t forgejo\\t gitea\\t github\\t gitlab\\t glewlwyd\\t gmail\\t google\\t huggingface\\t identity-center\\t keycloak\\t okta\\t outlook\\t salesforce\\t shopify\\t slack\\t twitch\\t yahoo\\t zitadel\\t' -d 'Use the built-in settings for this provider'
complete -c agent -n '__agent_at options account add' -s s -l scope -x -d 'Scopes to request; repeat it, or separate them by spaces'
complete -c agent -n '__agent_at options account add' -l resource -x -d 'Request tokens for this resource (RFC 8707); may be repeated'
complete -c agent -n '__agent_at options account add' -l audience -x -d 'Request tokens with this audience; the server must support it'
complete -c agent -n '__agent_at options account add' -l parameter -x -d 'Send this additional parameter to sign in; may be repeated'
complete -c agent -n '__agent_at options account add' -l claims -x -d 'Request these claims (OpenID Connect Core, section 5.5); @FILE reads them from a file'
complete -c agent -n '__agent_at options account add' -l authorization-details -x -d 'Request this authorization (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options account add' -l token-endpoint-auth-method -x -a 'none\\t client_secret_basic\\t client_secret_post\\t private_key_jwt\\t tls_client_auth\\t self_signed_tls_client_auth\\t' -d 'How the client authenticates; default: by its credentials and the server\'s metadata'
complete -c agent -n '__agent_at options account add' -l basic-unencoded -d 'Omit the form encoding in client_secret_basic, for servers that do not decode it'
complete -c agent -n '__agent_at options account add' -l client-key-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Signing algorithm of private_key_jwt; default: that of the key'
complete -c agent -n '__agent_at options account add' -l client-key-id -x -d 'Key ID of the client\'s key at the server; a JSON Web Key may have its own'
complete -c agent -n '__agent_at options account add' -l assertion-file -r -F -d 'Sign in with the JWT in this file; a platform writes it, and renewals read it again'
complete -c agent -n '__agent_at options account add' -l assertion-from -x -a 'github-actions\\t gitlab-ci\\t kubernetes\\t' -d 'Sign in with the JWT of this platform; for its jobs or pods, also to renew'
complete -c agent -n '__agent_at options account add' -l assertion-variable -x -d 'Variable with the JWT of --assertion-from gitlab-ci; its name in id_tokens: of the job'
complete -c agent -n '__agent_at options account add' -l assertion-account -x -d 'Sign in with a JWT that this account\'s server issues for its user; also to renew'
complete -c agent -n '__agent_at options account add' -l assertion-grant -x -a 'jwt-bearer\\t token-exchange\\t client-credentials\\t' -d 'How the assertion gets a token: as a grant, in an exchange, or as the client\'s credential'
complete -c agent -n '__agent_at options account add' -l assertion-audience -x -d 'Audience of assertions: issuer, token_endpoint, endpoint, or any other text'
complete -c agent -n '__agent_at options account add' -l id-token-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t HS256\\t HS384\\t HS512\\t' -d 'Accept only ID Tokens with this algorithm; HS256, HS384 and HS512 use the client secret'
complete -c agent -n '__agent_at options account add' -l userinfo-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Accept only UserInfo signed with this algorithm'
complete -c agent -n '__agent_at options account add' -l trust-audience -x -d 'Also accept ID Tokens for this audience; may be repeated'
complete -c agent -n '__agent_at options account add' -l ca-file -r -F -d 'Also trust the certificate authorities in this file; PEM, for this account only'
complete -c agent -n '__agent_at options account add' -l pin -x -d 'Accept only servers with this public key; may be repeated'
complete -c agent -n '__agent_at options account add' -l allow-http-loopback -d 'Allow plain http to 127.0.0.1, [::1] and localhost, for development'
complete -c agent -n '__agent_at options account add' -l authorization-endpoint -x -d 'Use this authorization endpoint'
complete -c agent -n '__agent_at options account add' -l token-endpoint -x -d 'Use this token endpoint'
complete -c agent -n '__agent_at options account add' -l device-authorization-endpoint -x -d 'Use this device authorization endpoint'
complete -c agent -n '__agent_at options account add' -l userinfo-endpoint -x -d 'Use this UserInfo endpoint'
complete -c agent -n '__agent_at options account add' -l revocation-endpoint -x -d 'Use this revocation endpoint'
complete -c agent -n '__agent_at options account add' -l registration-endpoint -x -d 'Use this client registration endpoint'
complete -c agent -n '__agent_at options account add' -l jwks-uri -x -d 'Read the issuer\'s keys from this URL'
complete -c agent -n '__agent_at options account add' -l redirect-uri -x -d 'The registered redirect URI; compared byte by byte, and without a port any port is used'
complete -c agent -n '__agent_at options account add' -l proxy -x -d 'Use this proxy; or none, or environment for that of the caller\'s environment'
complete -c agent -n '__agent_at options account add' -l keep -d 'Keep the access token in the vault if the server issues no refresh token'
complete -c agent -n '__agent_at options account add' -l dpop -d 'Bind the tokens to a key (DPoP); it never leaves agentd, so a stolen token is useless'
complete -c agent -n '__agent_at options account add' -l key -x -a 'vault\\t tpm2\\t' -d 'Where to create the keys for tokens and new clients: in the vault or in the TPM'
complete -c agent -n '__agent_at options account add' -l profile -x -a 'fapi2\\t' -d 'Refuse servers and responses that violate this security profile; fapi2 is FAPI 2.0'
complete -c agent -n '__agent_at options account add' -l host -x -d 'Also permit the access token for this host; may be repeated'
complete -c agent -n '__agent_at options account add' -l refresh -x -a 'on-demand\\t proactive\\t background\\t offline\\t strict\\t' -d 'When tokens are refreshed (default: proactive); see agent-config(5)'
complete -c agent -n '__agent_at options account add' -l var -x -d 'Set this variable for shells and commands, instead of the default ones; may be repeated'
complete -c agent -n '__agent_at options account add' -l protect -x -a 'device\\t passphrase\\t tpm2\\t' -d 'What opens the session in the vault; this device, a passphrase, or the TPM with a PIN'
complete -c agent -n '__agent_at options account add' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options account add' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options account add' -l pin-file -r -F -d 'Read the PIN from this file; - is standard input'
complete -c agent -n '__agent_at options account add' -l pin-fd -x -d 'Read the PIN from this descriptor; the caller opens it'
complete -c agent -n '__agent_at operand 0 account show' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options account set' -l issuer -x -d 'URL of the authorization server; its issuer, exactly as in its discovery document'
complete -c agent -n '__agent_at options account set' -l client-id -x -d 'The client identifier registered there; or the URL of the client\'s metadata'
complete -c agent -n '__agent_at options account set' -l provider -x -a 'apple\\t atlassian\\t auth0\\t authentik\\t bitbucket\\t codeberg\\t cognito\\t dex\\t discord\\t dropbox\\t entra\\t forgejo\\t gitea\\t github\\t gitlab\\t glewlwyd\\t gmail\\t google\\t huggingface\\t identity-center\\t keycloak\\t okta\\t outlook\\t salesforce\\t shopify\\t slack\\t twitch\\t yahoo\\t zitadel\\t' -d 'Use the built-in settings for this provider'
complete -c agent -n '__agent_at options account set' -s s -l scope -x -d 'Scopes to request; repeat it, or separate them by spaces'
complete -c agent -n '__agent_at options account set' -l resource -x -d 'Request tokens for this resource (RFC 8707); may be repeated'
complete -c agent -n '__agent_at options account set' -l audience -x -d 'Request tokens with this audience; the server must support it'
complete -c agent -n '__agent_at options account set' -l parameter -x -d 'Send this additional parameter to sign in; may be repeated'
complete -c agent -n '__agent_at options account set' -l claims -x -d 'Request these claims (OpenID Connect Core, section 5.5); @FILE reads them from a file'
complete -c agent -n '__agent_at options account set' -l authorization-details -x -d 'Request this authorization (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options account set' -l token-endpoint-auth-method -x -a 'none\\t client_secret_basic\\t client_secret_post\\t private_key_jwt\\t tls_client_auth\\t self_signed_tls_client_auth\\t' -d 'How the client authenticates; default: by its credentials and the server\'s metadata'
complete -c agent -n '__agent_at options account set' -l basic-unencoded -d 'Omit the form encoding in client_secret_basic, for servers that do not decode it'
complete -c agent -n '__agent_at options account set' -l client-key-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Signing algorithm of private_key_jwt; default: that of the key'
complete -c agent -n '__agent_at options account set' -l client-key-id -x -d 'Key ID of the client\'s key at the server; a JSON Web Key may have its own'
complete -c agent -n '__agent_at options account set' -l assertion-file -r -F -d 'Sign in with the JWT in this file; a platform writes it, and renewals read it again'
complete -c agent -n '__agent_at options account set' -l assertion-from -x -a 'github-actions\\t gitlab-ci\\t kubernetes\\t' -d 'Sign in with the JWT of this platform; for its jobs or pods, also to renew'
complete -c agent -n '__agent_at options account set' -l assertion-variable -x -d 'Variable with the JWT of --assertion-from gitlab-ci; its name in id_tokens: of the job'
complete -c agent -n '__agent_at options account set' -l assertion-account -x -d 'Sign in with a JWT that this account\'s server issues for its user; also to renew'
complete -c agent -n '__agent_at options account set' -l assertion-grant -x -a 'jwt-bearer\\t token-exchange\\t client-credentials\\t' -d 'How the assertion gets a token: as a grant, in an exchange, or as the client\'s credential'
complete -c agent -n '__agent_at options account set' -l assertion-audience -x -d 'Audience of assertions: issuer, token_endpoint, endpoint, or any other text'
complete -c agent -n '__agent_at options account set' -l id-token-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t HS256\\t HS384\\t HS512\\t' -d 'Accept only ID Tokens with this algorithm; HS256, HS384 and HS512 use the client secret'
complete -c agent -n '__agent_at options account set' -l userinfo-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Accept only UserInfo signed with this algorithm'
complete -c agent -n '__agent_at options account set' -l trust-audience -x -d 'Also accept ID Tokens for this audience; may be repeated'
complete -c agent -n '__agent_at options account set' -l ca-file -r -F -d 'Also trust the certificate authorities in this file; PEM, for this account only'
complete -c agent -n '__agent_at options account set' -l pin -x -d 'Accept only servers with this public key; may be repeated'
complete -c agent -n '__agent_at options account set' -l allow-http-loopback -d 'Allow plain http to 127.0.0.1, [::1] and localhost, for development'
complete -c agent -n '__agent_at options account set' -l authorization-endpoint -x -d 'Use this authorization endpoint'
complete -c agent -n '__agent_at options account set' -l token-endpoint -x -d 'Use this token endpoint'
complete -c agent -n '__agent_at options account set' -l device-authorization-endpoint -x -d 'Use this device authorization endpoint'
complete -c agent -n '__agent_at options account set' -l userinfo-endpoint -x -d 'Use this UserInfo endpoint'
complete -c agent -n '__agent_at options account set' -l revocation-endpoint -x -d 'Use this revocation endpoint'
complete -c agent -n '__agent_at options account set' -l registration-endpoint -x -d 'Use this client registration endpoint'
complete -c agent -n '__agent_at options account set' -l jwks-uri -x -d 'Read the issuer\'s keys from this URL'
complete -c agent -n '__agent_at options account set' -l redirect-uri -x -d 'The registered redirect URI; compared byte by byte, and without a port any port is used'
complete -c agent -n '__agent_at options account set' -l proxy -x -d 'Use this proxy; or none, or environment for that of the caller\'s environment'
complete -c agent -n '__agent_at options account set' -l keep -d 'Keep the access token in the vault if the server issues no refresh token'
complete -c agent -n '__agent_at options account set' -l dpop -d 'Bind the tokens to a key (DPoP); it never leaves agentd, so a stolen token is useless'
complete -c agent -n '__agent_at options account set' -l key -x -a 'vault\\t tpm2\\t' -d 'Where to create the keys for tokens and new clients: in the vault or in the TPM'
complete -c agent -n '__agent_at options account set' -l profile -x -a 'fapi2\\t' -d 'Refuse servers and responses that violate this security profile; fapi2 is FAPI 2.0'
complete -c agent -n '__agent_at options account set' -l host -x -d 'Also permit the access token for this host; may be repeated'
complete -c agent -n '__agent_at options account set' -l refresh -x -a 'on-demand\\t proactive\\t background\\t offline\\t strict\\t' -d 'When tokens are refreshed (default: proactive); see agent-config(5)'
complete -c agent -n '__agent_at options account set' -l var -x -d 'Set this variable for shells and commands, instead of the default ones; may be repeated'
complete -c agent -n '__agent_at options account set' -l protect -x -a 'device\\t passphrase\\t tpm2\\t' -d 'What opens the session in the vault; this device, a passphrase, or the TPM with a PIN'
complete -c agent -n '__agent_at options account set' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options account set' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options account set' -l pin-file -r -F -d 'Read the PIN from this file; - is standard input'
complete -c agent -n '__agent_at options account set' -l pin-fd -x -d 'Read the PIN from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options account set' -l unset -x -a 'provider\\t scope\\t resource\\t audience\\t parameter\\t claims\\t authorization-details\\t token-endpoint-auth-method\\t basic-unencoded\\t client-certificate-file\\t client-key-algorithm\\t client-key-id\\t assertion-file\\t assertion-from\\t assertion-variable\\t assertion-account\\t assertion-grant\\t assertion-audience\\t id-token-algorithm\\t userinfo-algorithm\\t trust-audience\\t ca-file\\t pin\\t allow-http-loopback\\t authorization-endpoint\\t token-endpoint\\t device-authorization-endpoint\\t userinfo-endpoint\\t revocation-endpoint\\t registration-endpoint\\t jwks-uri\\t redirect-uri\\t proxy\\t keep\\t dpop\\t key\\t profile\\t host\\t refresh\\t var\\t token-files\\t' -d 'Reset this setting to its default; may be given several times'
complete -c agent -n '__agent_at operand 0 account set' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at operand 0 account rename' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at operand 1 account rename' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options account remove' -l local -d 'Delete the session here without revoking it at the server'
complete -c agent -n '__agent_at operand 0 account remove' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options account import' -l issuer -x -d 'URL of the authorization server; its issuer, exactly as in its discovery document'
complete -c agent -n '__agent_at options account import' -l client-id -x -d 'The client identifier registered there; or the URL of the client\'s metadata'
complete -c agent -n '__agent_at options account import' -l provider -x -a 'apple\\t atlassian\\t auth0\\t authentik\\t bitbucket\\t codeberg\\t cognito\\t dex\\t discord\\t dropbox\\t entra\\t forgejo\\t gitea\\t github\\t gitlab\\t glewlwyd\\t gmail\\t google\\t huggingface\\t identity-center\\t keycloak\\t okta\\t outlook\\t salesforce\\t shopify\\t slack\\t twitch\\t yahoo\\t zitadel\\t' -d 'Use the built-in settings for this provider'
complete -c agent -n '__agent_at options account import' -s s -l scope -x -d 'Scopes to request; repeat it, or separate them by spaces'
complete -c agent -n '__agent_at options account import' -l resource -x -d 'Request tokens for this resource (RFC 8707); may be repeated'
complete -c agent -n '__agent_at options account import' -l audience -x -d 'Request tokens with this audience; the server must support it'
complete -c agent -n '__agent_at options account import' -l parameter -x -d 'Send this additional parameter to sign in; may be repeated'
complete -c agent -n '__agent_at options account import' -l claims -x -d 'Request these claims (OpenID Connect Core, section 5.5); @FILE reads them from a file'
complete -c agent -n '__agent_at options account import' -l authorization-details -x -d 'Request this authorization (RFC 9396); @FILE reads it from a file'
complete -c agent -n '__agent_at options account import' -l token-endpoint-auth-method -x -a 'none\\t client_secret_basic\\t client_secret_post\\t private_key_jwt\\t tls_client_auth\\t self_signed_tls_client_auth\\t' -d 'How the client authenticates; default: by its credentials and the server\'s metadata'
complete -c agent -n '__agent_at options account import' -l basic-unencoded -d 'Omit the form encoding in client_secret_basic, for servers that do not decode it'
complete -c agent -n '__agent_at options account import' -l client-key-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Signing algorithm of private_key_jwt; default: that of the key'
complete -c agent -n '__agent_at options account import' -l client-key-id -x -d 'Key ID of the client\'s key at the server; a JSON Web Key may have its own'
complete -c agent -n '__agent_at options account import' -l assertion-file -r -F -d 'Sign in with the JWT in this file; a platform writes it, and renewals read it again'
complete -c agent -n '__agent_at options account import' -l assertion-from -x -a 'github-actions\\t gitlab-ci\\t kubernetes\\t' -d 'Sign in with the JWT of this platform; for its jobs or pods, also to renew'
complete -c agent -n '__agent_at options account import' -l assertion-variable -x -d 'Variable with the JWT of --assertion-from gitlab-ci; its name in id_tokens: of the job'
complete -c agent -n '__agent_at options account import' -l assertion-account -x -d 'Sign in with a JWT that this account\'s server issues for its user; also to renew'
complete -c agent -n '__agent_at options account import' -l assertion-grant -x -a 'jwt-bearer\\t token-exchange\\t client-credentials\\t' -d 'How the assertion gets a token: as a grant, in an exchange, or as the client\'s credential'
complete -c agent -n '__agent_at options account import' -l assertion-audience -x -d 'Audience of assertions: issuer, token_endpoint, endpoint, or any other text'
complete -c agent -n '__agent_at options account import' -l id-token-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t HS256\\t HS384\\t HS512\\t' -d 'Accept only ID Tokens with this algorithm; HS256, HS384 and HS512 use the client secret'
complete -c agent -n '__agent_at options account import' -l userinfo-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Accept only UserInfo signed with this algorithm'
complete -c agent -n '__agent_at options account import' -l trust-audience -x -d 'Also accept ID Tokens for this audience; may be repeated'
complete -c agent -n '__agent_at options account import' -l ca-file -r -F -d 'Also trust the certificate authorities in this file; PEM, for this account only'
complete -c agent -n '__agent_at options account import' -l pin -x -d 'Accept only servers with this public key; may be repeated'
complete -c agent -n '__agent_at options account import' -l allow-http-loopback -d 'Allow plain http to 127.0.0.1, [::1] and localhost, for development'
complete -c agent -n '__agent_at options account import' -l authorization-endpoint -x -d 'Use this authorization endpoint'
complete -c agent -n '__agent_at options account import' -l token-endpoint -x -d 'Use this token endpoint'
complete -c agent -n '__agent_at options account import' -l device-authorization-endpoint -x -d 'Use this device authorization endpoint'
complete -c agent -n '__agent_at options account import' -l userinfo-endpoint -x -d 'Use this UserInfo endpoint'
complete -c agent -n '__agent_at options account import' -l revocation-endpoint -x -d 'Use this revocation endpoint'
complete -c agent -n '__agent_at options account import' -l registration-endpoint -x -d 'Use this client registration endpoint'
complete -c agent -n '__agent_at options account import' -l jwks-uri -x -d 'Read the issuer\'s keys from this URL'
complete -c agent -n '__agent_at options account import' -l redirect-uri -x -d 'The registered redirect URI; compared byte by byte, and without a port any port is used'
complete -c agent -n '__agent_at options account import' -l proxy -x -d 'Use this proxy; or none, or environment for that of the caller\'s environment'
complete -c agent -n '__agent_at options account import' -l keep -d 'Keep the access token in the vault if the server issues no refresh token'
complete -c agent -n '__agent_at options account import' -l dpop -d 'Bind the tokens to a key (DPoP); it never leaves agentd, so a stolen token is useless'
complete -c agent -n '__agent_at options account import' -l key -x -a 'vault\\t tpm2\\t' -d 'Where to create the keys for tokens and new clients: in the vault or in the TPM'
complete -c agent -n '__agent_at options account import' -l profile -x -a 'fapi2\\t' -d 'Refuse servers and responses that violate this security profile; fapi2 is FAPI 2.0'
complete -c agent -n '__agent_at options account import' -l host -x -d 'Also permit the access token for this host; may be repeated'
complete -c agent -n '__agent_at options account import' -l refresh -x -a 'on-demand\\t proactive\\t background\\t offline\\t strict\\t' -d 'When tokens are refreshed (default: proactive); see agent-config(5)'
complete -c agent -n '__agent_at options account import' -l var -x -d 'Set this variable for shells and commands, instead of the default ones; may be repeated'
complete -c agent -n '__agent_at options account import' -l protect -x -a 'device\\t passphrase\\t tpm2\\t' -d 'What opens the session in the vault; this device, a passphrase, or the TPM with a PIN'
complete -c agent -n '__agent_at options account import' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options account import' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options account import' -l pin-file -r -F -d 'Read the PIN from this file; - is standard input'
complete -c agent -n '__agent_at options account import' -l pin-fd -x -d 'Read the PIN from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options account import' -l client-secret-file -r -F -d 'Read the client secret from this file; - is standard input'
complete -c agent -n '__agent_at options account import' -l client-secret-prompt -d 'Ask for the client secret on the terminal; it is not shown'
complete -c agent -n '__agent_at options account import' -l client-key-file -r -F -d 'Read the client\'s private key from this file; PEM, which may name a key in the TPM, or a JSON Web Key; - is standard input'
complete -c agent -n '__agent_at options account import' -l client-certificate-file -r -F -d 'Present the certificate in this PEM file to the server; its key is the client\'s'
complete -c agent -n '__agent_at options account import' -l refresh-token-file -r -F -d 'Read the refresh token from this file; - is standard input'
complete -c agent -n '__agent_at options account import' -l refresh-token-fd -x -d 'Read the refresh token from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options account client-metadata' -l client-id -x -d 'The client identifier registered there; or the URL of the client\'s metadata'
complete -c agent -n '__agent_at options account client-metadata' -l redirect-uri -x -d 'The registered redirect URI; compared byte by byte, and without a port any port is used'
complete -c agent -n '__agent_at options account client-metadata' -s s -l scope -x -d 'Scopes to request; repeat it, or separate them by spaces'
complete -c agent -n '__agent_at options account client-metadata' -l dpop -d 'Bind the tokens to a key (DPoP); it never leaves agentd, so a stolen token is useless'
complete -c agent -n '__agent_at options account client-metadata' -l token-endpoint-auth-method -x -a 'none\\t client_secret_basic\\t client_secret_post\\t private_key_jwt\\t tls_client_auth\\t self_signed_tls_client_auth\\t' -d 'How the client authenticates; default: by its credentials and the server\'s metadata'
complete -c agent -n '__agent_at options account client-metadata' -l client-key-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Signing algorithm of private_key_jwt; default: that of the key'
complete -c agent -n '__agent_at options account client-metadata' -l client-key-id -x -d 'Key ID of the client\'s key at the server; a JSON Web Key may have its own'
complete -c agent -n '__agent_at options account client-metadata' -l id-token-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t HS256\\t HS384\\t HS512\\t' -d 'Accept only ID Tokens with this algorithm; HS256, HS384 and HS512 use the client secret'
complete -c agent -n '__agent_at options account client-metadata' -l userinfo-algorithm -x -a 'RS256\\t RS384\\t RS512\\t PS256\\t PS384\\t PS512\\t ES256\\t ES384\\t ES512\\t EdDSA\\t Ed25519\\t' -d 'Accept only UserInfo signed with this algorithm'
complete -c agent -n '__agent_at options account client-metadata' -l allow-http-loopback -d 'Allow plain http to 127.0.0.1, [::1] and localhost, for development'
complete -c agent -n '__agent_at options account client-metadata' -l client-key-file -r -F -d 'Read the client\'s private key from this file; PEM, which may name a key in the TPM, or a JSON Web Key; - is standard input'
complete -c agent -n '__agent_at operand 0 account client-metadata' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options unlock' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options unlock' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options unlock' -l pin-file -r -F -d 'Read the PIN from this file; - is standard input'
complete -c agent -n '__agent_at options unlock' -l pin-fd -x -d 'Read the PIN from this descriptor; the caller opens it'
complete -c agent -n '__agent_at operand 0 unlock' -a '(__agent_accounts accounts)'
complete -c agent -n '__agent_at options vault bind' -l to -x -a 'host\\t tpm2\\t' -d 'Bind the vault to this, or fail'
complete -c agent -n '__agent_at options vault add-passphrase' -l protection -x -a 'device\\t passphrase\\t tpm2\\t' -d 'The level that the passphrase opens'
complete -c agent -n '__agent_at options vault add-passphrase' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options vault add-passphrase' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options vault change-passphrase' -l protection -x -a 'device\\t passphrase\\t tpm2\\t' -d 'The level to change (default: passphrase)'
complete -c agent -n '__agent_at options vault change-passphrase' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options vault change-passphrase' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options vault change-passphrase' -l pin-file -r -F -d 'Read the PIN from this file; - is standard input'
complete -c agent -n '__agent_at options vault change-passphrase' -l pin-fd -x -d 'Read the PIN from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options vault change-passphrase' -l new-passphrase-file -r -F -d 'Read the new passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options vault change-passphrase' -l new-passphrase-fd -x -d 'Read the new passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options vault change-passphrase' -l new-pin-file -r -F -d 'Read the new PIN from this file; - is standard input'
complete -c agent -n '__agent_at options vault change-passphrase' -l new-pin-fd -x -d 'Read the new PIN from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options vault rotate-key' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options vault rotate-key' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options vault rebind' -l passphrase-file -r -F -d 'Read the passphrase from this file; - is standard input'
complete -c agent -n '__agent_at options vault rebind' -l passphrase-fd -x -d 'Read the passphrase from this descriptor; the caller opens it'
complete -c agent -n '__agent_at options vault set' -l lock-after -x -a 'never\\t' -d 'Lock after this time without use, or never'
complete -c agent -n '__agent_at options daemon log' -l utc -d 'Show times in UTC instead of local time'
complete -c agent -n '__agent_at operand 0 completions' -a 'bash\\t zsh\\t fish\\t'
complete -c agent -n '__agent_at options help' -l all -d 'Print every option'
complete -c agent -n '__agent_at operand 0 help' -a 'login workload logout ssh token env exec token-file serve lease-port request mcp proof helper setup doctor status list use whoami events verify decode account lock unlock vault daemon completions help'
complete -c agent -n '__agent_at operand 1 help' -a 'add show set rename remove import client-metadata status bind add-passphrase change-passphrase remove-slot rotate-key rebind set-aside check set start stop restart status run refresh log'
