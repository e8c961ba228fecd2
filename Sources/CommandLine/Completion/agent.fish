# Copied by "generate" from Sources/CommandLine/Completion; do not edit the copy.

# Finds the candidates; fails for a file, which fish completes itself.
function __agent_complete
    set -g __agent_found
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    command -sq -- $program
    or return 0
    set -l lines (command $program __complete -- $words[2..-1] "$current" 2>/dev/null </dev/null)
    switch "$lines[1]"
        case :files
            return 1
        case ':command *'
            set -e words[1..(string replace ':command ' '' -- $lines[1])]
            set __agent_found (complete -C (string join ' ' -- (string escape -- $words) $current))
        case '*'
            set -l plain '^[A-Za-z0-9_][A-Za-z0-9._:=-]*(?:\t.*)?$'
            string match -q -- '-*' "$current"
            and set plain '^[A-Za-z0-9._:=-]+(?:\t.*)?$'
            set __agent_found (string match -r -- $plain $lines)
    end
    return 0
end

complete -c agent -n __agent_complete -f -a '$__agent_found'
