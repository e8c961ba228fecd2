internal import Wire

/// A section of a page: a title and what stands below it.
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
  /// Terms and what they mean; each term is set by this macro of mdoc(7).
  case list([Manual.Item], macro: String)
  /// Members of a JSON object.
  case members([Manual.Member])
  /// Lines that are typed or printed exactly so.
  case code([String])
  /// Lines in the mdoc(7) language.
  case raw(String)
  /// Other pages.
  case seeAlso([(name: String, section: Int)])
}

extension Manual {
  /// A member of a JSON object.
  typealias Member = MemberRow
}
