/// The programs that `setup` knows.
enum SetupClient: String, CaseIterable, Sendable {
  case git, docker, aws, cargo, go, pip, uv, mcp
  // The settings of these are printed only: kubectl's own writer drops comments, and a mail program has more settings
  // than ours.
  case kubectl, msmtp, mbsync, neomutt, aerc
}
