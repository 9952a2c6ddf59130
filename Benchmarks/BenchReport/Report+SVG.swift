import Foundation

extension Report {
    /// A picture of all lines with a goal: each bar begins at the goal, and leads to the right if it is exceeded.
    ///
    /// The scale is logarithmic, from a sixteenth of the goal to sixteen times the goal. Each bar is named and has its figures
    /// as text, so that nothing depends on colours.
    package var svg: String {
        let judged = lines.filter { $0.score != nil }
        let height = 70 + judged.count * 22
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1180 \(height)" role="img" font-family="sans-serif" \
            font-size="13">
            <title>How far each goal is exceeded or missed: \(summary)</title>
            <rect width="1180" height="\(height)" fill="white"/>
            """
        ]
        for power in [-4, -2, 0, 2, 4] { parts.append(Plot.scaleLine(power, bottom: height - 22)) }
        for (index, line) in judged.enumerated() {
            parts.append(Plot.bar(line, top: 42 + index * 22))
        }
        return (parts + ["</svg>", ""]).joined(separator: "\n")
    }
}

private enum Plot {
    /// The horizontal place of a score.
    static func place(of score: Double) -> Int {
        let power = min(max(log2(score), -4), 4)
        return 800 + Int((power * 65).rounded())
    }

    /// A vertical line at the power of two, with its name above.
    static func scaleLine(_ power: Int, bottom: Int) -> String {
        let place = place(of: pow(2, Double(power)))
        let name = power < 0 ? "1/\(1 << -power) of the goal" : power == 0 ? "the goal" : "\(1 << power) times"
        return """
            <line x1="\(place)" x2="\(place)" y1="34" y2="\(bottom)" stroke="\(power == 0 ? "black" : "lightgrey")"/>
            <text x="\(place)" y="24" text-anchor="middle">\(name)</text>
            """
    }

    static func bar(_ line: Line, top: Int) -> String {
        let score = line.score ?? 1
        let (start, end) = (place(of: 1), place(of: score))
        let (fill, figures) = (
            score >= 1 ? "seagreen" : "firebrick", "\(line.kith), wanted \(line.goal?.description ?? "")"
        )
        return """
            <text x="500" y="\(top + 13)" text-anchor="end">\(escaped(line.what))</text>
            <rect x="\(min(start, end))" y="\(top + 2)" width="\(max(2, abs(end - start)))" height="14" fill="\(fill)">\
            <title>\(escaped("\(line.what): \(figures)"))</title></rect>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
