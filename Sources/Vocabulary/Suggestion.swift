/// Finds known words similar to a wrong one.
package enum Suggestion {
  /// Longer words get no suggestions.
  private static let maximumLength = 40

  /// The closest candidates, at most three. Allows one edit, or one per three bytes of a longer `word`. Beginning with
  /// `word` counts as one edit.
  package static func candidates(for word: String, among candidates: [String]) -> [String] {
    let word = Array(word.utf8)
    guard !word.isEmpty, word.count <= maximumLength else { return [] }
    var best: [String] = []
    var shortest = max(1, word.count / 3)
    for candidate in candidates {
      let distance = candidate.utf8.starts(with: word) ? 1 : editDistance(word, Array(candidate.utf8))
      if distance < shortest { best = [] }
      if distance <= shortest {
        shortest = distance
        best.append(candidate)
      }
    }
    return Array(best.prefix(3))
  }

  /// The optimal string alignment distance in bytes.
  package static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let cost = left[row] == right[column] ? 0 : 1
        var least = min(last[column + 1] + 1, current[column] + 1, last[column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
