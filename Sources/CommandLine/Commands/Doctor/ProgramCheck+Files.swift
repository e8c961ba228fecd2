internal import Encoding
internal import Platform
internal import Vocabulary

extension ProgramCheck {
  /// Checks docker's and cargo's helpers for the origins.
  static func helpers(for origins: [OriginEntry]) -> [Finding] {
    checkDockerHelpers(for: origins) + cargoProviders(for: origins)
  }

  private static func content(_ file: SetupFile?) -> [UInt8]? { (try? file?.read()).flatMap { $0 } }

  private static func checkDockerHelpers(for origins: [OriginEntry]) -> [Finding] {
    guard let bytes = content(try? SetupClient.dockerFile(UserFiles())),
      let helpers = (try? JSON(parsing: bytes))?["credHelpers"]?.object
    else { return [] }
    let name = ProgramName.current.text
    let program = "docker-credential-\(name)"
    let setUp = Phrase(verbatim: "agent setup docker")
    var findings: [Finding] = []
    for host in helpers.names {
      let helper = helpers[host]?.string ?? ""
      guard !helper.hasSameBytes(as: name) else {
        findings.add(.helper, .ok, Phrase("docker uses this program for \(host)"))
        continue
      }
      guard let origin = OriginEntry(host, allowHTTPLoopback: true),
        origins.contains(where: { $0.origin.hasSameBytes(as: origin.origin) })
      else { continue }
      findings.add(
        .helper, .warn, Phrase("docker uses another helper for \(host): \(programName(helper))"), hint: setUp)
    }
    guard findings.contains(where: { $0.level == .ok }) else { return findings }
    guard let found = Spawn.search(program) else {
      return [Finding(.helper, .fail, Phrase("docker looks for \(program), which is not in PATH"), hint: setUp)]
    }
    guard Spawn.isSame(found, Machine.executablePath()) else {
      return [Finding(.helper, .fail, Phrase("docker finds another program named \(program): \(found)"), hint: setUp)]
    }
    return findings
  }

  /// Checks the providers of registries at `origins`. The nearest file applies, the user's own only as a fallback.
  private static func cargoProviders(for origins: [OriginEntry]) -> [Finding] {
    let own = UserFiles()
    let files = CargoFile.all(
      from: own.workingDirectory(), own: (try? SetupClient.cargoFile(own))?.directory ?? "/.cargo")
    var findings: [Finding] = []
    var seen: Set<String> = []
    for file in files {
      for name in file.text.registries.map(\.name) where !seen.contains(name) {
        let values = files.compactMap { file in
          file.text.header("registries.\(name)").flatMap { header in
            file.text.value("credential-provider", in: file.text.section(header)).map { (file.path, $0) }
          }
        }
        let index = files.lazy.compactMap { file in
          file.text.header("registries.\(name)").flatMap { file.text.value("index", in: file.text.section($0)) }
        }.first
        guard let (path, provider) = values.first, let index, isListed(index, origins) else { continue }
        seen.insert(name)
        let own = ProgramName.current.text
        let isOurs = ["\(own),helper,cargo", "\(own)helpercargo", "cargo-credential-\(own)"].contains {
          ConfigurationText(Array(provider.utf8)).contains($0)
        }
        findings.append(
          isOurs
            ? Finding(.helper, .ok, Phrase("cargo uses this program for \(name)"))
            : Finding(
              .helper, .warn, Phrase("cargo uses another provider for \(name), set in \(path)"),
              hint: settingsCommand(name, at: index)))
      }
    }
    return findings
  }

  private static func settingsCommand(_ registry: String, at index: String) -> Phrase {
    let words = [
      "agent", "setup", "cargo", "--host", CargoFile.urlWithoutProtocol(of: index), "--name", registry, "--print",
    ]
    return Phrase(verbatim: words.map(ShellWord.quoted).joined(separator: " "))
  }

  private static func isListed(_ index: String, _ origins: [OriginEntry]) -> Bool {
    guard let origin = OriginEntry(CargoFile.urlWithoutProtocol(of: index), allowHTTPLoopback: true) else {
      return false
    }
    return origins.contains { $0.origin.hasSameBytes(as: origin.origin) && $0.covers(origin.path) }
  }

  /// Warns of keys in the AWS credentials file, which override `credential_process`.
  static func awsKeys(of profiles: [String]) -> [Finding] {
    let files = UserFiles()
    let path = files.nonEmptyValue("AWS_SHARED_CREDENTIALS_FILE") ?? "\((try? files.home()) ?? "")/.aws/credentials"
    guard !profiles.isEmpty, let text = content(try? SetupFile(path)).map({ ConfigurationText($0) }) else { return [] }
    return profiles.filter { profile in
      text.header(profile).map { text.value("aws-access-key-id", in: text.section($0)) != nil } ?? false
    }.map { profile in
      Finding(
        .helper, .warn, Phrase("aws uses the keys of \(profile) from \(path) instead"),
        hint: Phrase(verbatim: "aws configure list --profile \(ShellWord.quoted(profile))"))
    }
  }
}
