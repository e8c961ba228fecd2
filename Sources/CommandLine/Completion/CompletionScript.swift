/// A shell script that completes the program's command lines.
///
/// Asks the program on the command line, with `__complete`, and never evaluates what it prints.
struct CompletionScript {
  let shell: CompletionShell
  let program: ProgramName

  init(_ shell: CompletionShell, for program: ProgramName = .standard) {
    self.shell = shell
    self.program = program
  }

  /// The name that the shell expects.
  var fileName: String {
    switch shell {
    case .bash: "\(program.text).bash"
    case .zsh: "_\(program.text)"
    case .fish: "\(program.text).fish"
    }
  }

  var text: String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private static let notice = "# Written by \"generate\"; do not edit."

  private var id: String { program.identifier }

  private var bash: String {
    #"""
    \#(Self.notice)

    _\#(id)() {
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
        :command\ *) __\#(id)_command "${starts[${line#:command }]}" ;;
        *)
          line=${line%%$'\t'*}
          if [[ $line =~ $plain && $line == "${words[-1]}"* ]]; then COMPREPLY+=("${line#"$prefix"}"); fi
          ;;
        esac
      done <<<"$("$program" __complete -- "${words[@]}" 2>/dev/null </dev/null)"
    }

    # Completes the command to run, whose first word is the one at $1.
    __\#(id)_command() {
      if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
      elif (($1 < COMP_CWORD)); then
        compopt -o default 2>/dev/null
      else
        while IFS= read -r line; do COMPREPLY+=("$line"); done <<<"$(compgen -c -- "$current")"
      fi
    }

    complete -F _\#(id) \#(program.text)

    """#
  }

  /// The first line names the completed program.
  private var zsh: String {
    #"""
    #compdef \#(program.text)
    \#(Self.notice)

    _\#(id)() {
      local program=${words[1]/#\~\//$HOME/} line word
      local -a found
      for line in ${(f)"$("$program" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)"}; do
        case $line in
        :files)
          if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
          _files
          return
          ;;
        :command\ *)
          shift ${line#:command } words
          ((CURRENT -= ${line#:command }))
          _normal
          return
          ;;
        :value\ *) _message -r "${line#:value }" ;;
        *)
          word=${line%%$'\t'*}
          if [[ $word != *[^A-Za-z0-9._:=-]* && ($word != -* || $PREFIX == -*) ]]; then
            found+=("${word//:/\\:}:${${line#$word}#$'\t'}")
          fi
          ;;
        esac
      done
      _describe -t candidates candidate found
    }

    # Read by compinit from a directory of fpath, or by "source".
    if [[ $funcstack[1] == _\#(id) ]]; then
      _\#(id) "$@"
    else
      compdef _\#(id) \#(program.text)
    fi

    """#
  }

  private var fish: String {
    #"""
    \#(Self.notice)

    # Finds the candidates; fails for a file, which fish completes itself.
    function __\#(id)_complete
        set -g __\#(id)_found
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
                set __\#(id)_found (complete -C (string join ' ' -- (string escape -- $words) $current))
            case '*'
                set -l plain '^[A-Za-z0-9_][A-Za-z0-9._:=-]*(?:\t.*)?$'
                string match -q -- '-*' "$current"
                and set plain '^[A-Za-z0-9._:=-]+(?:\t.*)?$'
                set __\#(id)_found (string match -r -- $plain $lines)
        end
        return 0
    end

    complete -c \#(program.text) -n __\#(id)_complete -f -a '$__\#(id)_found'

    """#
  }
}
