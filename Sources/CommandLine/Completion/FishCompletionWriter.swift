/// Writes fish completions: one `complete` line per option and operand. Each string is shell code.
struct FishCompletionWriter {
  let program: ProgramName
  let table: CommandTable

  var script: String {
    """
    \(CommandName.generatedNotice)

    \(values)

    \(words)

    \(engine)

    \(accounts)

    complete -c \(program.text) -f
    complete -c \(program.text) -n '__\(id)_at trailing' -x -a '(__\(id)_subcommand)'
    \(firstWords.joined(separator: "\n"))
    \(Options.common.map { option(in: nil, $0) }.joined(separator: "\n"))
    \(table.all.flatMap(lines).joined(separator: "\n"))

    """
  }

  /// The name in shell functions.
  private var id: String { program.identifier }

  // MARK: Tables

  /// Checks whether an option takes a value.
  private var values: String {
    let own = table.all.flatMap { command in
      command.options.filter { $0.candidates != nil }.flatMap { option in
        option.spellings.map { "'\(command.name) \($0)'" }
      }
    }
    let common = Options.common.filter { $0.candidates != nil }.flatMap(\.spellings).map { "'* \($0)'" }
    return """
      # Whether the option $argv[2] of the command $argv[1] takes a value.
      function __\(id)_takes_value
          switch "$argv[1] $argv[2]"
      \((own + common).map { "        case \($0)\n            return 0" }.joined(separator: "\n"))
          end
          return 1
      end
      """
  }

  /// Recognizes commands and groups.
  private var words: String {
    let names = CommandName.listed.map { Self.quoted($0.rawValue) }.joined(separator: " ")
    let trailing = table.all.filter { $0.trailing != nil }.map { Self.quoted($0.name.rawValue) }
    return """
      function __\(id)_is_command
          contains -- "$argv[1]" \(names)
      end

      function __\(id)_is_group
          contains -- "$argv[1]" \(CommandName.groups.joined(separator: " "))
      end

      # Whether the command $argv[1] runs another one.
      function __\(id)_runs
          contains -- "$argv[1]" \(trailing.joined(separator: " "))
      end
      """
  }

  /// Lines that complete commands.
  private var firstWords: [String] {
    let first = table.firstWordSummaries.map { ("", $0) }
    let second = CommandName.groups.flatMap { group in
      table.memberSummaries(ofGroup: group).map { (group, $0) }
    }
    return (first + second).map { group, entry in
      line("word \(group)", "-a \(Self.quoted(entry.word)) -d \(description(entry.summary))")
    }
  }

  private func lines(of command: Command) -> [String] {
    var lines = command.options.map { option(in: command, $0) }
    for place in 0..<command.operands.limit {
      guard let argument = argument(command.operands.candidates, place: place) else { continue }
      lines.append(line("operand \(place) \(command.name)", argument))
    }
    return lines
  }

  private func option(in command: Command?, _ option: OptionDeclaration) -> String {
    var text = option.short.map { "-s \($0) " } ?? ""
    text += "-l \(option.name)"
    switch option.candidates {
    case nil: break
    case .files: text += " -r -F"
    case .some(let candidates): text += " -x" + (argument(candidates, place: 0).map { " \($0)" } ?? "")
    }
    return line(command.map { "options \($0.name)" } ?? "options", "\(text) -d \(description(option.summary))")
  }

  /// The arguments of `complete` that offer candidates; nil for any text.
  private func argument(_ candidates: Candidates, place: Int) -> String? {
    switch candidates {
    case .text: nil
    case .accounts: "-a '(__\(id)_accounts accounts)'"
    case .accountsAndServices: "-a '(__\(id)_accounts services)'"
    case .files: "-F"
    // The tab ends each word, so that fish does not add the option's description.
    case .words(let words): "-a \(Self.quoted(words.map { "\($0)\\t" }.joined(separator: " ")))"
    case .commands:
      place == 0
        ? "-a \(Self.quoted(CommandName.firstWords.joined(separator: " ")))"
        : "-a \(Self.quoted(CommandName.groups.flatMap { CommandName.members(ofGroup: $0) }.joined(separator: " ")))"
    }
  }

  /// A call of `complete`.
  private func line(_ condition: String, _ rest: String) -> String {
    "complete -c \(program.text) -n '__\(id)_at \(condition)' \(rest)"
  }

  private func description(_ text: String) -> String { Self.quoted(Prose.plain(text)) }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing(each: "\\", with: "\\\\").replacing(each: "'", with: "\\'") + "'"
  }

  // MARK: Code

  /// Lists accounts.
  private var accounts: String {
    """
    # The accounts, or also the services. Whatever is printed is only compared, never evaluated.
    function __\(id)_accounts
        set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
        command -sq -- $program
        or return
        command $program __complete $argv[1] 2>/dev/null </dev/null \\
            | string match -r '^[A-Za-z0-9_][A-Za-z0-9._-]*$' | string replace -r '$' \\t
    end

    # Completes the command to run after "--".
    function __\(id)_subcommand
        set -l words (commandline -opc)
        set -l dashes (contains -i -- -- $words)
        or return
        set -e words[1..$dashes]
        complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
    end
    """
  }

  /// Checks whether the cursor is where a completion applies.
  private var engine: String {
    """
    # Whether the cursor is where a completion belongs: "word GROUP", "options [COMMAND]",
    # "operand NUMBER COMMAND" or "trailing".
    function __\(id)_at
        set -l name ''
        set -l found ''
        set -l plain ''
        set -l operands 0
        set -l option ''
        for word in (commandline -opc)[2..-1]
            if test -n "$option"
                set option ''
            else if test "$word" = -- -a -z "$plain"
                if __\(id)_runs "$name"
                    test $argv[1] = trailing
                    return
                end
                set plain yes
            else if test -z "$plain" && string match -q -- '-?*' $word
                if __\(id)_takes_value "$name" "$word"
                    set option $word
                end
            else if test -n "$found"
                set operands (math $operands + 1)
            else if __\(id)_is_command (string trim -- "$name $word")
                set name (string trim -- "$name $word")
                set found yes
            else if test -z "$name" && __\(id)_is_group "$word"
                set name $word
            else
                return 1
            end
        end
        switch $argv[1]
            case word
                test -z "$found" -a "$name" = "$argv[2..-1]"
            case options
                test -z "$plain" -a \\( (count $argv) = 1 -o "$name" = "$argv[2..-1]" \\)
            case operand
                test -n "$found" -a "$name" = "$argv[3..-1]" -a $operands = "$argv[2]"
            case '*'
                return 1
        end
    end
    """
  }
}
