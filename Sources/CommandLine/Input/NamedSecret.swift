internal import Platform
internal import Wire

/// A secret in a file or inherited descriptor, read only by the daemon and never in this process's memory.
struct NamedSecret {
  let title: Phrase
  /// The option for a file, for hints.
  let fileOption: String
  /// The option for a descriptor, if any.
  let descriptor: Option<String?>?
  private let path: String?
  private let descriptorNumber: String?
  /// Limits the wait for another program to open a FIFO.
  private let timeoutSeconds: Int?

  /// `fileOption` is the option for hints if `file` is nil.
  init(
    _ title: Phrase, _ file: Option<String?>?, or descriptor: Option<String?>? = nil, else fileOption: String = "",
    _ invocation: Invocation
  ) throws(Failure) {
    self.title = title
    self.fileOption = file?.name ?? fileOption
    self.descriptor = descriptor
    path = file.flatMap { invocation[$0] }
    descriptorNumber = descriptor.flatMap { invocation[$0] }
    timeoutSeconds = invocation[.timeout]
    if path != nil, descriptorNumber != nil, let file, let descriptor {
      throw invocation.conflict(file.declaration, descriptor.declaration)
    }
    try Self.refuseSharedInput(invocation)
  }

  var isNamed: Bool { path != nil || descriptorNumber != nil }

  /// Nil if no secret is named.
  func open() throws(Failure) -> FileDescriptor? {
    let secret: FileDescriptor
    if let path {
      secret = try NamedFile.openInput(path, within: timeoutSeconds) {
        Failure(.invalidRequest, Phrase("cannot read the \(title) file \"\(path)\": \($0)"))
      }
    } else if let descriptorNumber, let descriptor {
      secret = try Self.duplicateInherited(descriptorNumber, descriptor)
    } else {
      return nil
    }
    if Terminal.isTerminal(secret.raw) {
      throw Failure(
        .invalidRequest, "cannot read a \(title) from a terminal, where it would be visible",
        hint: "use a file with --\(fileOption), or pipe the secret in")
    }
    return secret
  }

  private static func duplicateInherited(_ text: String, _ option: Option<String?>) throws(Failure) -> FileDescriptor {
    guard let number = Int32(text), (0...65_535).contains(number) else {
      throw Failure(.invalidRequest, "\"--\(option.name)\" must be the number of an open descriptor")
    }
    do {
      return try FileDescriptor.duplicate(number)
    } catch {
      throw Failure(.invalidRequest, Phrase("cannot read descriptor \(number): \(Phrase(known: error.message))"))
    }
  }

  /// Standard input may contain only one secret.
  private static func refuseSharedInput(_ invocation: Invocation) throws(Failure) {
    var (files, descriptors): ([String], [String]) = ([], [])
    for (option, text) in invocation.given {
      switch option.argument {
      case .secretFile where text == "-": files.append("--\(option.name)")
      case .descriptor where Int32(text) == 0: descriptors.append("--\(option.name)")
      default: break
      }
    }
    let named = files + descriptors
    guard Set(named).count > 1 else { return }
    throw Failure(.invalidRequest, Phrase("standard input cannot be used for \(Phrase.all(named)) at once"))
  }
}
