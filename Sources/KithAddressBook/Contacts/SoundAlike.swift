/// The sound key of a name: at most eight letters, equal for words that sound alike.
///
/// It is coarse on purpose, like Metaphone and the Kölner Phonetik, but does not depend on a language: it leaves out
/// the sounds that are spelled differently.
///
/// 1. A consonant becomes the representative of its group: `b`, `p`, `l`, `r`, `m`, `n` stay, T for `d t`, F for `f v
///    w`, K for `c g k q`, S for `s z`, KS for `x`, J for an initial `j` or `y`.
/// 2. Some groups of letters become one sound: F for `ph`, S for `sch`, `tsch`, `tch`, `cs`, `cz`, `tz`, `ts`, and for
///    `c` before `e i y`.
/// 3. Left out are: vowels, except that an initial vowel becomes A; `h`, `j` and `y` within a word; `w`, except before
///    a vowel; `gh`, except at the beginning; the `k` of an initial `kn`.
/// 4. Doubled letters count once.
///
/// `Meyer`, `Maier` and `Mayr` are MR, `Stephen` and `Steven` STFN, `Catherine` and `Kathryn` KTRN.
struct SoundAlike: Hashable {
    /// The letters as bytes, the last in the lowest byte.
    let letters: UInt64

    /// The sound of a folded word; nil if it contains other letters than `a` to `z`, or has only one sound.
    init?(_ word: ArraySlice<UInt8>) {
        var key = Key()
        var index = word.startIndex
        while index < word.endIndex, key.letters >> 56 == 0 {
            guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= word[index] else { return nil }
            index += key.take(word[index...], isFirst: index == word.startIndex)
        }
        guard key.letters > 0xFF else { return nil }
        letters = key.letters
    }

    /// A key that grows letter by letter.
    private struct Key {
        var letters: UInt64 = 0
        /// The sound of the previous letter; 0 if it has none.
        private var last: UInt8 = 0

        private mutating func add(_ letter: Unicode.Scalar) {
            let byte = UInt8(truncatingIfNeeded: letter.value)
            if byte != last { letters = letters << 8 | UInt64(byte) }
            last = byte
        }

        /// Adds the first sound of the rest of a word.
        ///
        /// - Returns: The number of letters of the sound.
        mutating func take(_ rest: ArraySlice<UInt8>, isFirst: Bool) -> Int {
            func letter(_ place: Int) -> Unicode.Scalar? {
                place < rest.count ? Unicode.Scalar(rest[rest.startIndex + place]) : nil
            }
            func isVowel(_ place: Int) -> Bool { letter(place).map { "aeiou".unicodeScalars.contains($0) } ?? false }
            let next = letter(1)
            switch letter(0) {
            case "b": add("B")
            case "l": add("L")
            case "m": add("M")
            case "n": add("N")
            case "p" where next == "h":
                add("F")
                return 2
            case "p": add("P")
            case "r": add("R")
            // The `d` or `t` is silent: the following letter already has the sound of S.
            case "d" where next == "s" || next == "z", "t" where next == "s" || next == "z": break
            case "t" where next == "c" && letter(2) == "h":
                add("S")
                return 3
            case "d", "t": add("T")
            case "f", "v": add("F")
            case "w" where isVowel(1) || next == "y" || next == "h": add("F")
            case "s" where next == "c" && letter(2) == "h":
                add("S")
                return 3
            case "s", "z": add("S")
            case "c" where next == "e" || next == "i" || next == "y": add("S")
            case "c" where next == "s" || next == "z":
                add("S")
                return 2
            case "k" where isFirst && next == "n": break
            case "g" where !isFirst && next == "h": return 2
            case "c", "g", "k", "q": add("K")
            case "x":
                add("K")
                add("S")
            case "j" where isFirst: add("J")
            case "y" where isFirst && isVowel(1), "i" where isFirst && isVowel(1): add("J")
            case "h" where isFirst: add("H")
            case "a" where isFirst, "e" where isFirst, "i" where isFirst, "o" where isFirst, "u" where isFirst,
                "y" where isFirst:
                add("A")
            default: last = 0
            }
            return 1
        }
    }
}
