// swift-tools-version: 6.2
import Glibc
import PackageDescription

// Dependencies point downwards only; the build is run with
// `--explicit-target-dependency-import-check error`, so an import that is not listed here fails.
// Each foreign thing is imported by exactly one Swift module: Glibc by Platform, libcrypto by
// Crypto, libcurl, libssl and zlib by HTTP, libqrencode by QRCode, libsystemd by DesktopBus, libseccomp by Lease. The commit comes from the Makefile.

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Whether the loader of this machine reads relative relocations in their short form: since glibc 2.36.
let hasRelativeRelocations: Bool = {
  let name = String(unsafeUninitializedCapacity: 64) { bytes in
    bytes.withMemoryRebound(to: CChar.self) { confstr(Int32(_CS_GNU_LIBC_VERSION), $0.baseAddress, 64) - 1 }
  }
  let version = name.split { !$0.isNumber }.compactMap { Int($0) }
  return !version.lexicographicallyPrecedes([2, 36])
}()

// The client starts in half a millisecond because nothing is loaded at run time. The daemon needs
// libcurl and libcrypto from the system, so only the Swift library is linked into it.
let fullyStatic = linkedStatically("-static-executable")
let staticSwift = linkedStatically("-static-stdlib")

/// Options of the linker for a release program. `AGENT_LINKER` names another linker than lld, which is part of the toolchain; `.rodata`
/// is then writable. The runtime's search for a crash handler is replaced, see `Sources/CPlatform/crash.c`.
func linkedStatically(_ flag: String) -> [LinkerSetting] {
  let linker = Context.environment["AGENT_LINKER"] ?? "lld"
  var options = ["--gc-sections", "--wrap=swift_copyAuxiliaryExecutablePath", "-z", "now"]
  if linker == "lld" {
    let directory = "\(Context.packageDirectory)/share/link"
    options += ["-T", "\(directory)/sections.ld", "--no-eh-frame-hdr"]
    // A list of 0.9 MB in agentd becomes 8 KB.
    if hasRelativeRelocations { options += ["-z", "pack-relative-relocs"] }
    // What the client runs is side by side, so that a short run touches few pages: see `make order`. A name that is gone is no error.
    options += ["--symbol-ordering-file=\(directory)/order", "--no-warn-symbol-ordering"]
  }
  // The flag for the library exports every symbol, though nothing is loaded that would look for one: 0.9 MB of tables.
  options.append("--no-export-dynamic")
  let flags = [flag, "-use-ld=\(linker)"] + options.flatMap { ["-Xlinker", $0] }
  return [.unsafeFlags(flags, .when(configuration: .release))]
}

/// - Parameter files: The files of the module's folder that `PackageResources` contains.
func module(_ name: String, uses: [Target.Dependency] = [], embedding files: [String] = []) -> Target {
  .target(name: name, dependencies: uses, resources: files.map { .embedInCode($0) }, swiftSettings: strict)
}

func program(_ name: String, uses: [Target.Dependency], linked: [LinkerSetting]) -> Target {
  .executableTarget(name: name, dependencies: uses, swiftSettings: strict, linkerSettings: linked)
}

/// The unit tests of a module, in the folder of its name.
func tests(_ module: String, uses: [Target.Dependency]) -> Target {
  .testTarget(name: "\(module)Tests", dependencies: uses, path: "Tests/Unit/\(module)", swiftSettings: strict)
}

// With `AGENT_FUZZ` set the package builds one program more, for libFuzzer, which has its own entry point and cannot be
// linked by an ordinary build. Its sources are those of the tests that replay what was found.
let isFuzzing = Context.environment["AGENT_FUZZ"] != nil
let fuzzed: [Target.Dependency] = [
  "CommandLine", "Sessions", "HTTP", "Lease", "Loopback", "OAuth", "Vault", "Wire", "Vocabulary", "Crypto", "Encoding",
  "Platform",
]
let fuzzing: Target =
  isFuzzing
  ? .executableTarget(
    name: "fuzz", dependencies: fuzzed, path: "Tests/Unit/Fuzz", exclude: ["CorpusTests.swift"], swiftSettings: strict)
  : .testTarget(
    name: "FuzzTests", dependencies: fuzzed + ["TestSupport"], path: "Tests/Unit/Fuzz", exclude: ["LibFuzzer.swift"],
    swiftSettings: strict)

let package = Package(
  name: "agent",
  products: [
    .executable(name: "agent", targets: ["agent"]),
    .executable(name: "agentd", targets: ["agentd"]),
    .executable(name: "agent-lease", targets: ["agent-lease"]),
    .library(name: "AgentClient", targets: ["AgentClient"]),
  ],
  targets: [
    // Programs.
    program("agent", uses: ["CommandLine"], linked: fullyStatic),
    program("agentd", uses: ["Daemon", "Platform", "CHeap"], linked: staticSwift),
    program("agent-lease", uses: ["Lease", "Platform"], linked: staticSwift),
    program("generate", uses: ["CommandLine"], linked: fullyStatic),

    // Modules, highest first.
    module(
      "CommandLine", uses: ["MCP", "Loopback", "Wire", "Vocabulary", "Encoding", "Platform"],
      embedding: [
        "Completion/agent.bash", "Completion/_agent", "Completion/agent.fish", "Shell/hook.bash", "Shell/hook.zsh",
        "Shell/hook.fish", "Shell/variables",
      ]),
    module(
      "Daemon",
      uses: [
        "Sessions", "OAuth", "HTTP", "Loopback", "QRCode", "DesktopBus", "Vault", "Crypto", "Wire",
        "Vocabulary", "Encoding", "Platform",
      ]),
    // Serves the peers of a lease, which nobody trusts: it knows no secret and none of the modules that do.
    module("Lease", uses: ["Wire", "Vocabulary", "Encoding", "Platform", "CSeccomp"]),
    module("AgentClient", uses: ["Wire", "Vocabulary", "Encoding", "Platform"]),
    // What `agent mcp` does between its client and the daemon.
    module("MCP", uses: ["Wire", "Vocabulary", "Encoding", "Platform"]),
    module("Sessions", uses: ["OAuth", "Vault", "Vocabulary", "Crypto", "Encoding", "Platform"]),
    module("HTTP", uses: ["OAuth", "Vocabulary", "Crypto", "Encoding", "Platform", "CCurl", "CTLS", "CZlib"]),
    // What answers the browser at a redirect URI: in the daemon, and at the other end of `agent ssh`.
    module("Loopback", uses: ["Vocabulary", "Encoding", "Platform"]),
    module("QRCode", uses: ["CQRencode"]),
    module("DesktopBus", uses: ["Platform", "CSystemd"]),
    module("OAuth", uses: ["Vocabulary", "Crypto", "Encoding", "Platform"]),
    module("Vault", uses: ["Vocabulary", "Crypto", "Encoding", "Platform"]),
    module("Wire", uses: ["Vocabulary", "Encoding", "Platform", "CProduct"]),
    module("Vocabulary", uses: ["Encoding", "Platform", "CProviders"]),
    module("Crypto", uses: ["Encoding", "Platform", "COpenSSL"]),
    module("Platform", uses: ["CPlatform"]),
    module("Encoding"),

    // C: shims only, no logic.
    .target(name: "CPlatform"),
    .target(name: "CProduct", cSettings: [.define("AGENT_COMMIT", to: Context.environment["AGENT_COMMIT"] ?? "")]),
    .target(name: "CProviders"),
    // Linked, not imported.
    .target(name: "CHeap"),
    .target(name: "CSystemd"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

    // Tests.
    .executableTarget(
      name: "devissuer", dependencies: ["HTTP", "OAuth", "Vocabulary", "Crypto", "Encoding", "Platform"],
      path: "Tests/Tools/DevIssuer", swiftSettings: strict, linkerSettings: staticSwift),
    .target(
      name: "TestSupport", dependencies: ["Vocabulary", "Encoding", "Platform"], path: "Tests/Support/TestSupport",
      swiftSettings: strict),
    // Apart from what every test may use, since it needs the failures of the protocol.
    .target(
      name: "WireSupport", dependencies: ["Wire", "Vocabulary", "Encoding", "Platform", "TestSupport"],
      path: "Tests/Support/WireSupport", swiftSettings: strict),
    .target(
      name: "OAuthSupport", dependencies: ["OAuth", "Crypto", "Encoding", "Platform"],
      path: "Tests/Support/OAuthSupport", swiftSettings: strict),
    tests("Encoding", uses: ["Encoding"]),
    tests("Platform", uses: ["Platform", "TestSupport"]),
    tests("Crypto", uses: ["Crypto", "Encoding", "Platform", "TestSupport"]),
    tests("QRCode", uses: ["QRCode"]),
    tests("Vocabulary", uses: ["Vocabulary", "Encoding", "Platform", "TestSupport"]),
    tests("Wire", uses: ["Wire", "Encoding", "Vocabulary", "Platform", "WireSupport", "TestSupport"]),
    tests("Lease", uses: ["Lease", "Wire", "WireSupport", "Platform", "TestSupport"]),
    tests("Vault", uses: ["Vault", "Crypto", "Platform", "TestSupport", "Vocabulary"]),
    tests("OAuth", uses: ["OAuth", "Crypto", "Encoding", "Vocabulary", "TestSupport", "OAuthSupport"]),
    tests("Loopback", uses: ["Loopback", "Vocabulary", "Crypto", "Encoding", "Platform"]),
    tests(
      "HTTP", uses: ["HTTP", "OAuth", "Crypto", "Encoding", "Platform", "TestSupport", "OAuthSupport", "Vocabulary"]),
    tests(
      "Sessions",
      uses: [
        "Sessions", "OAuth", "Vault", "Vocabulary", "Crypto", "Encoding", "Platform", "TestSupport", "OAuthSupport",
      ]),
    tests(
      "AgentClient",
      uses: ["AgentClient", "Wire", "Vocabulary", "Encoding", "Platform", "TestSupport", "WireSupport"]),
    tests("MCP", uses: ["MCP", "Wire", "Vocabulary", "Encoding"]),
    tests(
      "CommandLine",
      uses: [
        "CommandLine", "MCP", "Loopback", "Wire", "Encoding", "Platform", "TestSupport", "Vocabulary",
        "WireSupport",
      ]),
    tests(
      "Daemon",
      uses: [
        "Daemon", "Sessions", "OAuth", "HTTP", "Loopback", "Vault", "Crypto", "Wire", "Vocabulary", "Encoding",
        "Platform",
        "TestSupport", "WireSupport",
      ]),
    tests("DevIssuer", uses: ["devissuer", "Crypto", "Encoding", "Platform", "TestSupport"]),
    fuzzing,
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["TestSupport", "AgentClient", "Vault", "Vocabulary", "Crypto", "Encoding", "Platform"],
      path: "Tests/EndToEnd", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// With `AGENT_UNIT` set to a module's name the package is that module's tests and what they use, so that little is built:
// see `make unit`. The tests of the command line start both programs.
if let unit = Context.environment["AGENT_UNIT"] {
  var needed: Set<String> = []
  var pending = ["\(unit)Tests"] + (unit == "CommandLine" ? ["agent", "agentd", "agent-lease"] : [])
  while let name = pending.popLast() {
    guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for case .byNameItem(let used, _) in target.dependencies { pending.append(used) }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
