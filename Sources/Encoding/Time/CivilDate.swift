/// A day of the proleptic Gregorian calendar. Month and day start at 1.
struct CivilDate: Equatable {
  var year: Int
  var month: Int
  var day: Int
}

extension CivilDate {
  /// The days since 1970-01-01, for years 0 to 9999. Nil if no such day exists.
  var daysSinceEpoch: Int? {
    guard (0...9999).contains(year), (1...12).contains(month), (1...daysInMonth).contains(day) else { return nil }
    // Years begin in March, so the leap day comes last.
    let shiftedYear = (month <= 2 ? year - 1 : year) + 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
    return shiftedYear * 365 + leapDays + dayOfYear - 146_097 - 719_468
  }

  /// Converts days of the years 0 to 9999.
  init(daysSinceEpoch days: Int) {
    let shifted = days + 719_468 + 146_097
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0)
  }

  private var daysInMonth: Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: isLeapYear ? 29 : 28
    default: 31
    }
  }

  private var isLeapYear: Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }
}
