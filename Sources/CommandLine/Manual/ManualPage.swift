internal import Platform
internal import Wire

/// A handwritten page in `man/`. `generate` replaces the text from `.\" @LIST` to `.\" @end` by a list of
/// ``ManualList``.
struct ManualPage: Sendable {
  let name: String
  let section: Int

  static let all =
    ([CommandName.mainPage] + CommandName.pageNames).map { ManualPage(name: $0, section: 1) }
    + CommandName.otherPages.map { ManualPage(name: $0.0, section: $0.1) }

  static let agent = all[0]

  static func of(_ command: CommandName) -> ManualPage { all.first { $0.name == command.pageName } ?? agent }

  var path: String { "man/\(name).\(section)" }

  /// Reads the page in `top`, and replaces its lists.
  func text(in top: String, by table: CommandTable) throws(PageError) -> String {
    let text: [UInt8]
    do throws(SystemError) {
      text = try FileDescriptor(opening: "\(top)/\(path)", for: .reading).readToEnd(limit: 1 << 20)
    } catch {
      throw PageError(text: "\(path): \(error.message)")
    }
    do throws(PageError) {
      return try Self.replaceLists(in: String(decoding: text, as: UTF8.self), by: table)
    } catch {
      throw PageError(text: "\(path): \(error.text)")
    }
  }

  private static let start = ".\\\" @"
  private static let end = start + "end"

  static func replaceLists(in page: String, by table: CommandTable) throws(PageError) -> String {
    var text = ""
    var open: String?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line == end {
        guard open != nil else { throw PageError(text: "\(end) without a list") }
        open = nil
      } else if line.hasPrefix(start) {
        guard open == nil else { throw PageError(text: "\(start)\(open ?? "") without an end") }
        open = String(line.dropFirst(start.count))
        guard let list = ManualList.text(open ?? "", table) else { throw PageError(text: "unknown list: \(line)") }
        text += "\(line)\n\(list)"
        continue
      } else if open != nil {
        continue
      }
      text += line.hasPrefix(".Os") ? ".Os \"agent \(Product.version)\"\n" : "\(line)\n"
    }
    if let open { throw PageError(text: "\(start)\(open) without an end") }
    return text
  }
}

struct PageError: Error, Hashable {
  let text: String
}
