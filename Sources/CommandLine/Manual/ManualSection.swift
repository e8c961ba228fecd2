internal import Wire

/// A section of a page: a title and its content.
struct ManualSection: Sendable {
  let title: String
  let blocks: [ManualBlock]

  init(_ title: String, _ blocks: [ManualBlock]) {
    self.title = title
    self.blocks = blocks
  }
}

/// A part of a section. Texts are in the notation of ``Prose``.
enum ManualBlock: Sendable {
  case text(String)
  case heading(String)
  /// Terms and their definitions; each term is set with this mdoc(7) macro.
  case list([Manual.Item], macro: String)
  /// Members of a JSON object.
  case members([Manual.Member])
  /// Lines to type, or as printed.
  case code([String])
  /// Lines in mdoc(7) notation.
  case raw(String)
  /// Other pages.
  case seeAlso([(name: String, section: Int)])
}

extension Manual {
  /// A member of a JSON object.
  typealias Member = MemberRow
}
