# Copied by "generate" from Sources/CommandLine/Completion; do not edit the copy.

_agent() {
  local LC_ALL=C program=${COMP_WORDS[0]/#\~\//"$HOME"/} current=${COMP_WORDS[COMP_CWORD]}
  local line prefix joins= plain='^[A-Za-z0-9_][A-Za-z0-9._:=-]*$'
  local -a words=() starts=(0)
  local -i index
  COMPREPLY=()
  # Bash takes "=" and ":" for words of their own.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    line=${COMP_WORDS[index]}
    if [[ -n $joins || $line == [:=]* && ${#words[@]} != 0 ]]; then words[-1]+=$line; else words+=("$line") starts+=("$index"); fi
    if [[ $line == [:=]* ]]; then joins=yes; else joins=; fi
  done
  if [[ $current == [:=]* ]]; then current=; fi
  prefix=${words[-1]%"$current"}
  if [[ ${words[-1]} == -* ]]; then plain='^[A-Za-z0-9._:=-]+$'; fi
  while IFS= read -r line; do
    case $line in
    :files) compopt -o default 2>/dev/null ;;
    :command\ *) __agent_command "${starts[${line#:command }]}" ;;
    *)
      line=${line%%$'\t'*}
      if [[ $line =~ $plain && $line == "${words[-1]}"* ]]; then COMPREPLY+=("${line#"$prefix"}"); fi
      ;;
    esac
  done <<<"$("$program" __complete -- "${words[@]}" 2>/dev/null </dev/null)"
}

# Completes the command to run, whose first word is the one at $1.
__agent_command() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 < COMP_CWORD)); then
    compopt -o default 2>/dev/null
  else
    while IFS= read -r line; do COMPREPLY+=("$line"); done <<<"$(compgen -c -- "$current")"
  fi
}

complete -F _agent agent
