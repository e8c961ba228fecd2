internal import Encoding
/// Writes zsh completions: `_arguments` specifications in a `case` with one branch per command. Each string is shell
/// code.
struct ZshCompletionWriter {
  let program: ProgramName
  let table: CommandTable

  /// The script. The first line names the completed program.
  var script: String {
    """
    #compdef \(program.text)
    \(CommandName.generatedNotice)

    \(words)

    \(accounts)

    \(commands)

    \(entrance)

    # Read by compinit from a directory of fpath, or by "source".
    if [[ $funcstack[1] == _\(id) ]]; then
      _\(id) "$@"
    else
      compdef _\(id) \(program.text)
    fi

    """
  }

  /// The name in shell functions.
  private var id: String { program.identifier }

  // MARK: Tables

  /// Offers the words of commands.
  private var words: String {
    let groups = CommandName.groups.map { group in
      "  \(group)) names=(\(list(table.memberSummaries(ofGroup: group)))) ;;"
    }
    return """
      # The words that may follow $1, the first word of a command; without it the first words.
      __\(id)_words() {
        local -a names
        case $1 in
        '') names=(\(list(table.firstWordSummaries))) ;;
      \(groups.joined(separator: "\n"))
        *) return 1 ;;
        esac
        _describe -t commands command names
      }
      """
  }

  private func list(_ entries: [(word: String, summary: String)]) -> String {
    entries.map { entry in
      ShellWord.single("\(entry.word):\(Prose.plain(entry.summary).replacing(each: ":", with: "\\:"))")
    }.joined(separator: " ")
  }

  /// Completes each command's arguments.
  private var commands: String {
    let entries = table.all.map { command in
      var specifications = command.options.flatMap(specifications)
      if command.operands.limit > 0, let action = action(command.operands.candidates) {
        specifications.append(
          quotedLines("'*:\(command.operands.metavar ?? ""):\(action)'", limit: command.operands.limit))
      }
      let lines = specifications.map { "    \($0) \\\n" }.joined()
      let trailing = command.trailing == nil ? "" : "    __\(id)_trailing && return\n"
      return "  '\(command.name)')\n\(trailing)    _arguments -s -S $common \\\n\(lines)      && return\n    ;;"
    }
    return """
      # What the command $1 takes.
      __\(id)_command() {
        case $1 in
      \(entries.joined(separator: "\n"))
        esac
        return 1
      }
      """
  }

  /// Repeats an operand's specification up to `limit`.
  private func quotedLines(_ specification: String, limit: Int) -> String {
    (1...limit).map { specification.replacing(each: "*", with: "\($0)") }.joined(separator: " ")
  }

  /// A specification per spelling of the option.
  private func specifications(_ option: OptionDeclaration) -> [String] {
    let meaning = Prose.plain(option.summary).replacing(each: "[", with: "\\[").replacing(each: "]", with: "\\]")
    let value = option.argument.metavar.map { metavar in
      ":\(metavar.replacing(each: ":", with: "\\:")):\(action(option.candidates ?? .text) ?? " ")"
    }
    return option.spellings.map { spelling in
      let others = option.repeats ? "*" : "(\(option.spellings.joined(separator: " ")))"
      let attached = value == nil ? "" : spelling.hasPrefix("--") ? "=" : "+"
      return ShellWord.single("\(others)\(spelling)\(attached)[\(meaning)]\(value ?? "")")
    }
  }

  /// The action of `_arguments` that offers candidates; nil for any text.
  private func action(_ candidates: Candidates) -> String? {
    switch candidates {
    case .text: nil
    case .accounts: "__\(id)_accounts"
    case .accountsAndServices: "__\(id)_services"
    case .files: "_files"
    case .commands: "__\(id)_help_words"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  // MARK: Code

  /// Lists accounts.
  private var accounts: String {
    """
    __\(id)_services() { __\(id)_accounts services; }

    # The accounts, or also the services. Whatever is printed is only compared, never evaluated.
    __\(id)_accounts() {
      local name
      local -a names
      local kind=accounts
      if [[ $1 == services ]]; then kind=services; fi
      for name in ${(f)"$("$program" __complete $kind 2>/dev/null </dev/null)"}; do
        if [[ $name == [A-Za-z0-9_]* && $name != *[^A-Za-z0-9._-]* ]]; then names+=("$name"); fi
      done
      _wanted accounts expl account compadd -a names
    }

    # The words of a command, as operands.
    __\(id)_help_words() {
      if ((CURRENT == 2)); then __\(id)_words ''; else __\(id)_words "$words[2]"; fi
    }

    # Completes the command to run after "--"; fails when the cursor stands before that.
    __\(id)_trailing() {
      local -i dashes=$words[(i)--]
      if ((dashes >= CURRENT)); then return 1; fi
      words=("${(@)words[dashes + 1,-1]}")
      ((CURRENT -= dashes))
      _normal
    }
    """
  }

  /// The function that zsh calls.
  private var entrance: String {
    let common = Options.common.flatMap(specifications).map { "    \($0)" }.joined(separator: "\n")
    return """
      _\(id)() {
        local curcontext=$curcontext context state line expl name program=${words[1]/#\\~\\//$HOME/}
        local -i ret=1
        local -A opt_args
        local -a common=(
      \(common)
        )
        _arguments -s -C $common '(-): :->word' '(-)*:: :->rest' && ret=0
        case $state in
        word) __\(id)_words '' && ret=0 ;;
        rest)
          name=$words[1]
          case $name in
          \(CommandName.groups.joined(separator: " | ")))
            if ((CURRENT == 2)); then
              __\(id)_words "$name"
              return
            fi
            shift words
            ((CURRENT -= 1))
            name+=" $words[1]"
            ;;
          esac
          curcontext="${curcontext%:*}-${name// /-}:"
          __\(id)_command "$name" && ret=0
          ;;
        esac
        return ret
      }
      """
  }
}
