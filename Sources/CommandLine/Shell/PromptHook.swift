internal import Encoding

/// A function that a shell runs before each prompt, which keeps the variables of a token fresh.
///
/// Before nearly all prompts it compares two numbers, without a process of its own; only when the time has come it
/// asks `agent __renew`, which says in `__agent_env_wait` how long to wait for the next time. It leaves the status of
/// the last command and all other functions of the prompt as they are, and it says nothing.
struct PromptHook: Sendable {
  /// The text that defines the function, which runs this command.
  let text: @Sendable (_ command: String) -> String

  /// The statement that tells the function how many seconds to wait.
  let waiting: @Sendable (_ seconds: Int) -> String

  /// How long `agent __renew` may wait for the daemon; a refresh goes on without it.
  static let patienceMilliseconds = 500
  /// The longest wait between two questions, so that a sign-out is noticed.
  static let longestWait = 60
  /// The wait after a question without an answer, and while the account is signed out.
  static let waitAfterFailure = 15
  static let waitWhileSignedOut = 5

  private static func assigning(_ seconds: Int) -> String { "__agent_env_wait=\(seconds);\n" }

  /// Waits are short, so a long one means that the clock was set back.
  static let bash = PromptHook(
    text: { command in
      #"""
      __agent_env_hook() {
        local status=$? now=${EPOCHSECONDS-}
        [[ $now ]] || printf -v now '%(%s)T' -1
        if ((now >= ${__agent_env_due-0} || now < ${__agent_env_due-0} - \#(longestWait))); then
          local __agent_env_wait=\#(waitAfterFailure)
          eval "$(\#(command) 2>/dev/null </dev/null)"
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
    }, waiting: assigning)

  static let zsh = PromptHook(
    text: { command in
      #"""
      zmodload -F zsh/datetime p:EPOCHSECONDS
      typeset -gi __agent_env_due=0
      __agent_env_hook() {
        local ret=$?
        emulate -L zsh
        if ((EPOCHSECONDS >= __agent_env_due || EPOCHSECONDS < __agent_env_due - \#(longestWait))); then
          local __agent_env_wait=\#(waitAfterFailure)
          eval "$(\#(command) 2>/dev/null </dev/null)"
          __agent_env_due=$((EPOCHSECONDS + __agent_env_wait))
        fi
        return $ret
      }
      typeset -ga precmd_functions
      ((${precmd_functions[(I)__agent_env_hook]})) || precmd_functions=(__agent_env_hook $precmd_functions)

      """#
    }, waiting: assigning)

  /// fish has no clock of its own; the kernel's is read from a file, by a builtin.
  static let fish = PromptHook(
    text: { command in
      #"""
      set -g __agent_env_due 0
      function __agent_env_hook --on-event fish_prompt
          read -l -d ' ' __agent_env_now __agent_env_rest </proc/uptime
          if test "$__agent_env_now" -ge "$__agent_env_due"
              set -l __agent_env_wait \#(waitAfterFailure)
              \#(command) 2>/dev/null </dev/null | source
              set -g __agent_env_due (math "$__agent_env_now + $__agent_env_wait")
          end
      end

      """#
    }, waiting: { "set __agent_env_wait \($0);\n" })
}

extension Shell {
  /// The text of `env --hook`: the function, and the statements that make the shell run it; nil without a hook.
  ///
  /// - Parameters:
  ///   - program: The path of this program.
  ///   - arguments: What `__renew` gets after the name of the shell.
  /// - Throws: ``Quoting/Problem`` for a path that no quoting makes safe.
  func hookText(program: String, arguments: [String]) throws(Quoting.Problem) -> String? {
    guard let hook else { return nil }
    var words: [String] = []
    for word in [program, "__renew", name] + arguments { words.append(try quoted(word)) }
    return hook.text(words.joined(separator: " "))
  }

  private func quoted(_ word: String) throws(Quoting.Problem) -> String {
    if word.utf8.allSatisfy(ShellWord.isPlain) { return word }
    var bytes: [UInt8] = []
    try quoting.append(Array(word.utf8).span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
