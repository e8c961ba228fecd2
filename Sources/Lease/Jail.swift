internal import CSeccomp

/// Restricts the process to system calls (seccomp(2)) for open descriptors, memory and time. Others fail with `EPERM`.
enum Jail {
  struct Problem: Error {
    /// The `errno`.
    let number: Int32
  }

  /// Enters the jail until the process ends. Throws if the kernel lacks seccomp.
  static func enter() throws(Problem) {
    guard let filter = unsafe seccomp_init(agent_seccomp_refuse) else { throw Problem(number: ENOMEM) }
    defer { unsafe seccomp_release(filter) }
    func allow(_ name: String, _ conditions: [scmp_arg_cmp] = []) throws(Problem) {
      let number = unsafe seccomp_syscall_resolve_name(name)
      // Missing on some architectures.
      guard number != __NR_SCMP_ERROR else { return }
      let result = unsafe seccomp_rule_add_array(
        filter, agent_seccomp_allow, number, UInt32(conditions.count), conditions)
      guard result == 0 else { throw Problem(number: -result) }
    }
    for name in permittedCalls { try allow(name) }
    for (name, conditions) in conditionallyPermittedCalls { try allow(name, conditions) }
    let result = unsafe seccomp_load(filter)
    guard result == 0 else { throw Problem(number: -result) }
  }

  private static let permittedCalls = [
    // Open descriptors.
    "read", "readv", "preadv2", "write", "writev", "pwritev2", "close", "fcntl", "fstat", "lseek", "poll", "ppoll",
    // Open sockets.
    "accept4", "recvfrom", "recvmsg", "sendto", "sendmsg", "getsockopt", "shutdown",
    // The loop.
    "epoll_ctl", "epoll_wait", "epoll_pwait", "timerfd_settime",
    // Memory, threads of the runtime, signals.
    "brk", "munmap", "mremap", "madvise", "futex", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
    "restart_syscall", "sched_yield", "getrandom",
    // Time and identity.
    "clock_gettime", "clock_nanosleep", "nanosleep", "gettimeofday", "getpid", "gettid", "getuid", "geteuid", "getgid",
    "getegid", "exit", "exit_group",
  ]

  /// Permitted only if the arguments meet all conditions.
  private static let conditionallyPermittedCalls: [(String, [scmp_arg_cmp])] = [
    ("socketpair", [argumentEquals(0, UInt64(AF_UNIX))]),
    // No executable memory.
    ("mmap", [argumentLacksBits(2, UInt64(PROT_EXEC))]), ("mprotect", [argumentLacksBits(2, UInt64(PROT_EXEC))]),
    // Read limits only.
    ("prlimit64", [argumentEquals(2, 0)]),
  ]

  /// `argument` is an index from 0.
  private static func argumentEquals(_ argument: UInt32, _ value: UInt64) -> scmp_arg_cmp {
    scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
  }

  private static func argumentLacksBits(_ argument: UInt32, _ bits: UInt64) -> scmp_arg_cmp {
    scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: 0)
  }

  /// Tries a system call with invalid arguments. Returns true if blocked, or missing on this architecture.
  static func blocks(_ name: String) -> Bool {
    let number = unsafe seccomp_syscall_resolve_name(name)
    return number == __NR_SCMP_ERROR || agent_system_call(number) == EPERM
  }

  /// System calls that the jail must block, for tests.
  static let mustBeBlocked = [
    "socket", "connect", "bind", "listen", "open", "openat", "openat2", "creat", "execve", "execveat", "ptrace", "fork",
    "vfork", "clone", "clone3", "kill", "tgkill", "tkill", "pidfd_open", "pidfd_getfd", "pidfd_send_signal",
    "process_vm_readv", "process_vm_writev", "prctl", "seccomp", "setns", "unshare", "mount", "chroot", "unlink",
    "unlinkat", "rename", "renameat2", "link", "linkat", "symlink", "mkdir", "chmod", "fchmod", "fchmodat", "chown",
    "fchown", "truncate", "ftruncate", "memfd_create", "memfd_secret", "userfaultfd", "bpf", "perf_event_open",
    "io_uring_setup", "io_uring_enter", "keyctl", "add_key", "request_key", "ioctl", "setsockopt", "getdents64",
    "readlink", "readlinkat", "stat", "statx", "access", "inotify_init1", "setuid", "setgid", "setgroups", "setresuid",
    "setrlimit", "personality", "pipe2", "dup2", "dup3", "eventfd2", "epoll_create1", "splice", "sendfile",
    "copy_file_range", "shmget", "msgget", "semget", "mq_open", "accept",
  ]
}
