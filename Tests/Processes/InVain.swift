/// Something was waited for in vain.
package struct InVain: Error, CustomStringConvertible {
    package let description: String

    package init(_ sentence: String) { description = sentence }
}
