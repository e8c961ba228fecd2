/// Writes bash completions: tables of `case` statements and a function that searches them. Each string is shell code.
struct BashCompletionWriter {
  let program: ProgramName
  let table: CommandTable

  var script: String {
    """
    \(CommandName.generatedNotice)

    \(words)

    \(commands)

    \(values)

    \(accounts)

    \(engine)

    complete -F _\(id) \(program.text)

    """
  }

  /// The name in shell functions.
  private var id: String { program.identifier }

  // MARK: Tables

  /// Finds the words that may follow.
  private var words: String {
    let groups = CommandName.groups.map { caseBranch([$0], "words=(\(list(CommandName.members(ofGroup: $0))))") }
    return function(
      "words", "The words that may follow $1, the first word of a command; without it the first words.",
      [caseBranch([""], "words=(\(list(CommandName.firstWords)))")] + groups)
  }

  /// Finds a command's options and operands.
  private var commands: String {
    let entries = table.all.map { command in
      var text = "options=(\(list(command.options.flatMap(\.spellings))))"
      if let kind = kind(command.operands.candidates) { text += " limit=\(command.operands.limit) operand\(kind)" }
      if command.trailing != nil { text += " trailing=yes" }
      return caseBranch([command.name.rawValue], text)
    }
    return function("command", "What the command $1 takes.", entries)
  }

  /// Finds an option's possible values.
  private var values: String {
    let own = table.all.flatMap { command in
      command.options.compactMap { caseBranch(for: $0) { "'\(command.name) \($0)'" } }
    }
    let common = Options.common.compactMap { caseBranch(for: $0) { "*' \($0)'" } }
    return function("value", "What the option $2 of the command $1 takes; fails when it takes nothing.", own + common) {
      "\"$1 $2\""
    }
  }

  /// Nil for a switch.
  private func caseBranch(for option: OptionDeclaration, pattern: (String) -> String) -> String? {
    guard let candidates = option.candidates else { return nil }
    return "  \(option.spellings.map(pattern).joined(separator: " | "))) kind\(kind(candidates) ?? "=text") ;;"
  }

  /// The value of the script's variable `kind`; nil for any text.
  private func kind(_ candidates: Candidates) -> String? {
    switch candidates {
    case .text: nil
    case .accounts: "=accounts"
    case .accountsAndServices: "=services"
    case .files: "=files"
    case .commands: "=commands"
    case .words(let words): "=words words=(\(list(words)))"
    }
  }

  /// A branch of a `case` statement.
  private func caseBranch(_ patterns: [String], _ statements: String) -> String {
    "  \(patterns.map { "'\($0)'" }.joined(separator: " | "))) \(statements) ;;"
  }

  private func list(_ words: [String]) -> String { words.joined(separator: " ") }

  private func function(
    _ name: String, _ comment: String, _ entries: [String], subject: () -> String = { "$1" }
  ) -> String {
    """
    # \(comment)
    __\(id)_\(name)() {
      case \(subject()) in
    \(entries.joined(separator: "\n"))
      *) return 1 ;;
      esac
    }
    """
  }

  // MARK: Code

  /// Lists accounts.
  private var accounts: String {
    """
    # The accounts, or also the services. Whatever is printed is only compared, never evaluated.
    __\(id)_accounts() {
      local LC_ALL=C name
      while IFS= read -r name; do
        if [[ $name =~ ^[A-Za-z0-9_][A-Za-z0-9._-]*$ ]]; then words+=("$name"); fi
      done <<<"$("$program" __complete "$1" 2>/dev/null </dev/null)"
    }
    """
  }

  /// Completes a command line.
  private var engine: String {
    """
    _\(id)() {
      local program=${COMP_WORDS[0]/#\\~\\//"$HOME"/} current=${COMP_WORDS[COMP_CWORD]}
      local name= group= found= plain= option= operand= trailing= kind= word
      local -i index operands=0 limit=0
      local -a words=() options=() common=(\(list(Options.common.flatMap(\.spellings))))
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
            __\(id)_trailing $((index + 1))
            return
          fi
          plain=yes
        elif [[ $word == -?* && -z $plain ]]; then
          if __\(id)_value "$name" "$word"; then option=$word; fi
        elif [[ -n $found ]]; then
          operands+=1
          if ((operands == 1)); then group=$word; fi
        elif __\(id)_command "${name:+$name }$word"; then
          name=${name:+$name }$word found=yes
        elif [[ -z $name ]] && __\(id)_words "$word"; then
          name=$word
        else
          return
        fi
      done

      words=()
      if [[ -n $option ]]; then
        if [[ $current == = ]]; then current=; fi
        __\(id)_value "$name" "$option"
      elif [[ $current == -* && -z $plain ]]; then
        kind=words words=("${options[@]}" "${common[@]}")
      elif [[ -z $found ]]; then
        kind=words
        __\(id)_words "$name"
      elif ((operands < limit)); then
        __\(id)_command "$name"
        kind=$operand
      else
        kind=none
      fi
      case $kind in
      accounts | services) __\(id)_accounts "$kind" ;;
      commands) __\(id)_words "$group" ;;
      files) compopt -o default 2>/dev/null ;;
      esac
      for word in "${words[@]}"; do
        if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
      done
    }

    # Completes the command to run, whose first word is the one at $1.
    __\(id)_trailing() {
      if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
      elif (($1 < COMP_CWORD)); then
        compopt -o default 2>/dev/null
      else
        while IFS= read -r word; do COMPREPLY+=("$word"); done <<<"$(compgen -c -- "$current")"
      fi
    }
    """
  }
}
