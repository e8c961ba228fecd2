internal import Encoding

/// What `env --hook` prints: a function that a shell runs before each prompt, which keeps the variables of a token
/// fresh.
///
/// Before nearly all prompts it compares two numbers, without a process of its own; only when the time has come it
/// asks `agent __renew`, which says in `__agent_env_wait` how long to wait for the next time. It leaves the status of
/// the last command and all other functions of the prompt as they are, and it says nothing.
enum PromptHook {
  /// The shells that there is one for.
  static let shells = [Shell.bash, .zsh, .fish]

  /// What `agent __renew` may wait for the daemon; a refresh goes on without it.
  static let patienceMilliseconds = 500
  /// The longest wait between two questions, so that a sign-out is noticed.
  static let longestWait = 60
  /// The wait after a question that nobody answered, and while nobody is signed in.
  static let waitAfterFailure = 15
  static let waitWhileSignedOut = 5

  /// - Parameters:
  ///   - program: The path of this program.
  ///   - arguments: What `__renew` gets after the name of the shell.
  /// - Throws: ``ShellQuoting/Problem`` for a path that no quoting makes safe.
  static func text(for shell: Shell, program: String, arguments: [String]) throws(ShellQuoting.Problem) -> String {
    var words: [String] = []
    for word in [program, "__renew", shell.rawValue] + arguments { words.append(try quoted(word, shell)) }
    let command = words.joined(separator: " ")
    return switch shell {
    case .zsh: zsh(command)
    case .fish: fish(command)
    default: bash(command)
    }
  }

  private static func quoted(_ word: String, _ shell: Shell) throws(ShellQuoting.Problem) -> String {
    if word.utf8.allSatisfy(ShellQuoting.isPlain) { return word }
    var bytes: [UInt8] = []
    let source = Array(word.utf8)
    if shell == .fish {
      try FishQuoting.appendQuoted(source.span, to: &bytes)
    } else {
      try ShellQuoting.appendQuoted(source.span, to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits are short, so one that is long means that somebody set the clock back.
  private static func bash(_ command: String) -> String {
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
  }

  private static func zsh(_ command: String) -> String {
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
  }

  /// fish has no clock of its own; the kernel's is read from a file, by a builtin.
  private static func fish(_ command: String) -> String {
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
  }

  /// The statement that tells the function how many seconds to wait.
  static func waiting(_ seconds: Int, _ shell: Shell) -> String {
    shell == .fish ? "set __agent_env_wait \(seconds);\n" : "__agent_env_wait=\(seconds);\n"
  }
}
