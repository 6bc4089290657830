// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Locks

/// Shows on a terminal how much of a file has gone; elsewhere it does nothing.
final class ProgressBar: Sendable {
    private static let width = 30

    private let total: Int
    private let isShown: Bool
    private let shown = Locked(-1)

    /// A bar for so many octets, on the standard error.
    init(total: Int) {
        self.total = total
        isShown = total > 0 && isatty(STDERR_FILENO) == 1
    }

    /// Shows that so many octets have gone.
    func show(_ sent: Int) {
        guard isShown else { return }
        let percent = Int(Double(min(sent, total)) / Double(total) * 100)
        let isNews = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        guard isNews else { return }
        let filled = percent * Self.width / 100
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        File.writeToStandardError("\r[\(bar)] \(percent) %")
    }

    /// Takes the bar away.
    func remove() {
        if isShown { File.writeToStandardError("\r\u{1B}[K") }
    }
}
