internal import Encoding

/// A shell function that updates the variables of `agent env` before each prompt.
///
/// Usually it only compares two numbers and reads a line that the daemon changes at each sign-in, sign-out, lock,
/// unlock or change of the active account. It runs `agent __renew` when due, or if the line or a directory that
/// accounts depend on has changed. That sets `__agent_env_wait` to the seconds until its next run, `__agent_env_names`
/// to the variables' names, and `__agent_env_follows` if accounts depend on the directory. The function preserves the
/// last status and other prompt functions, and prints nothing.
struct PromptHook: Sendable {
  /// Returns the function, which runs `command` and reads the file `changes`.
  let text: @Sendable (_ command: String, _ changes: String) -> String

  /// Returns a statement that sets the seconds until the next run.
  let waiting: @Sendable (_ seconds: Int) -> String

  /// Returns a statement that lists the variables that were set.
  let naming: @Sendable (_ names: [String]) -> String

  /// Returns a statement that sets whether accounts depend on the directory.
  let following: @Sendable (_ follows: Bool) -> String

  /// The timeout of `agent __renew`, so that a prompt takes at most half a second. A refresh continues afterwards.
  static let timeoutMilliseconds = 480
  /// The maximum seconds between runs, to notice the end of the daemon.
  static let longestWait = 60
  /// The seconds until the next run: after a failure, after a change, and while signed out.
  static let waitAfterFailure = 15
  static let waitAfterChange = 1
  static let waitWhileSignedOut = 5

  private static func assigning(_ seconds: Int) -> String { "__agent_env_wait=\(seconds);\n" }

  /// Variable names need no quotes except for the spaces between them.
  private static func assigning(_ names: [String]) -> String {
    "__agent_env_names='\(names.joined(separator: " "))';\n"
  }

  private static func assigning(_ follows: Bool) -> String { "__agent_env_follows=\(follows ? "1" : "");\n" }

  /// Waits are short, so a long one means that the clock was set back.
  static let bash = PromptHook(
    text: { command, changes in
      #"""
      __agent_env_hook() {
        local status=$? now=${EPOCHSECONDS-} change= changed=
        [[ $now ]] || printf -v now '%(%s)T' -1
        [[ -r \#(changes) ]] && read -r change <\#(changes)
        [[ $change != "${__agent_env_change-}" ||
          -n ${__agent_env_follows-} && $PWD != "${__agent_env_directory-}" ]] && changed=1
        if [[ $changed ]] || ((now >= ${__agent_env_due-0} || now < ${__agent_env_due-0} - \#(longestWait))); then
          local __agent_env_wait=\#(waitAfterFailure)
          [[ $changed ]] && __agent_env_wait=\#(waitAfterChange)
          __agent_env_change=$change __agent_env_directory=$PWD
          eval "$(\#(command) ${__agent_env_names:+"--former=$__agent_env_names"} 2>/dev/null </dev/null)"
          __agent_env_due=$((now + __agent_env_wait))
        fi
        return $status
      }
      if [[ ${PROMPT_COMMAND[*]-} != *__agent_env_hook* ]]; then
        if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
          PROMPT_COMMAND=(__agent_env_hook "${PROMPT_COMMAND[@]}")
        else
          PROMPT_COMMAND="__agent_env_hook${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
        fi
      fi

      """#
    }, waiting: assigning, naming: assigning, following: assigning)

  static let zsh = PromptHook(
    text: { command, changes in
      #"""
      zmodload -F zsh/datetime p:EPOCHSECONDS
      typeset -gi __agent_env_due=0
      typeset -g __agent_env_change= __agent_env_names= __agent_env_follows= __agent_env_directory=
      __agent_env_hook() {
        local ret=$? change= changed=
        emulate -L zsh
        [[ -r \#(changes) ]] && read -r change <\#(changes)
        [[ $change != $__agent_env_change ||
          -n $__agent_env_follows && $PWD != $__agent_env_directory ]] && changed=1
        if [[ -n $changed ]] ||
          ((EPOCHSECONDS >= __agent_env_due || EPOCHSECONDS < __agent_env_due - \#(longestWait))); then
          local __agent_env_wait=\#(waitAfterFailure)
          [[ -n $changed ]] && __agent_env_wait=\#(waitAfterChange)
          __agent_env_change=$change __agent_env_directory=$PWD
          eval "$(\#(command) ${__agent_env_names:+"--former=$__agent_env_names"} 2>/dev/null </dev/null)"
          __agent_env_due=$((EPOCHSECONDS + __agent_env_wait))
        fi
        return $ret
      }
      typeset -ga precmd_functions
      ((${precmd_functions[(I)__agent_env_hook]})) || precmd_functions=(__agent_env_hook $precmd_functions)

      """#
    }, waiting: assigning, naming: assigning, following: assigning)

  /// For fish, which has no clock: a builtin reads the kernel's from a file.
  static let fish = PromptHook(
    text: { command, changes in
      #"""
      set -g __agent_env_due 0
      set -g __agent_env_change
      set -g __agent_env_names
      set -g __agent_env_follows
      set -g __agent_env_directory
      function __agent_env_hook --on-event fish_prompt
          read -l -d ' ' __agent_env_now __agent_env_rest </proc/uptime
          set -l change
          test -r \#(changes); and read change <\#(changes)
          set -l changed
          test "$change" != "$__agent_env_change"; and set changed 1
          test -n "$__agent_env_follows" -a "$PWD" != "$__agent_env_directory"; and set changed 1
          if test "$__agent_env_now" -ge "$__agent_env_due" -o -n "$changed"
              set -l __agent_env_wait \#(waitAfterFailure)
              test -n "$changed"; and set __agent_env_wait \#(waitAfterChange)
              set -g __agent_env_change $change
              set -g __agent_env_directory $PWD
              \#(command) --former=$__agent_env_names 2>/dev/null </dev/null | source
              set -g __agent_env_due (math "$__agent_env_now + $__agent_env_wait")
          end
      end

      """#
    }, waiting: { "set __agent_env_wait \($0);\n" },
    naming: { "set -g __agent_env_names \($0.joined(separator: " "));\n" },
    following: { "set -g __agent_env_follows \($0 ? "1" : "");\n" })
}

extension Shell {
  /// The output of `env --hook`: the function and its registration; nil without a hook.
  ///
  /// - Parameters:
  ///   - program: This program's path.
  ///   - arguments: The arguments of `__renew` after the shell's name.
  ///   - changes: The path of the file that the daemon changes.
  /// - Throws: ``Quoting/Problem`` for a path that cannot be quoted safely.
  func hookText(program: String, arguments: [String], changes: String) throws(Quoting.Problem) -> String? {
    guard let hook else { return nil }
    var words: [String] = []
    for word in [program, "__renew", name] + arguments { words.append(try quoted(word)) }
    return hook.text(words.joined(separator: " "), try quoted(changes))
  }

  private func quoted(_ word: String) throws(Quoting.Problem) -> String {
    if word.utf8.allSatisfy(ShellWord.isPlain) { return word }
    var bytes: [UInt8] = []
    try quoting.append(Array(word.utf8).span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
