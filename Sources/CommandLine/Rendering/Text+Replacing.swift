extension String {
  /// The text with other text in the place of each occurrence of a character.
  func replacing(each character: Character, with replacement: String) -> String {
    split(separator: character, omittingEmptySubsequences: false).joined(separator: replacement)
  }
}
