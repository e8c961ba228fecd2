set -g __agent_env_due 0
set -g __agent_env_change
set -g __agent_env_names
set -g __agent_env_follows
set -g __agent_env_directory
function __agent_env_hook --on-event fish_prompt
    read -l -d ' ' __agent_env_now __agent_env_rest </proc/uptime
    set -l change
    test -r `changes`; and read change <`changes`
    set -l changed
    test "$change" != "$__agent_env_change"; and set changed 1
    test -n "$__agent_env_follows" -a "$PWD" != "$__agent_env_directory"; and set changed 1
    if test "$__agent_env_now" -ge "$__agent_env_due" -o -n "$changed"
        set -l __agent_env_wait `wait-after-failure`
        test -n "$changed"; and set __agent_env_wait `wait-after-change`
        set -g __agent_env_change $change
        set -g __agent_env_directory $PWD
        `command` --former=$__agent_env_names 2>/dev/null </dev/null | source
        set -g __agent_env_due (math "$__agent_env_now + $__agent_env_wait")
    end
end
