// SPDX-License-Identifier: Apache-2.0
// Chunk extensions (RFC 9112 §7.1.1): *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ). White space is
// "bad" but has to be understood, and only where something follows it; a size line never ends in white space.

/// Follows the extensions of one chunk, byte by byte, from what comes after the size to the line's CR.
struct ChunkExtension: Sendable {
    /// What a byte did.
    enum Step {
        case more
        case endOfLine
        case malformed
    }

    private enum State {
        case afterSize, semicolon
        case name, nameBlank
        case equals, token, tokenBlank
        case quoted, escape, quotedEnd
    }

    private var state = State.afterSize

    mutating func take(_ byte: UInt8) -> Step {
        guard let next = successor(of: byte) else {
            return byte == ASCII.carriageReturn && mayEnd ? .endOfLine : .malformed
        }
        state = next
        return .more
    }

    private var mayEnd: Bool {
        switch state {
        case .name, .token, .quotedEnd: true
        default: false
        }
    }

    private func successor(of byte: UInt8) -> State? {
        switch state {
        case .quoted: quoted(byte)
        case .escape: Self.isQuotable(byte) ? .quoted : nil
        default: unquoted(byte)
        }
    }

    private func quoted(_ byte: UInt8) -> State? {
        switch byte {
        case ASCII.quote: .quotedEnd
        case ASCII.backslash: .escape
        default: Self.isQuotable(byte) ? .quoted : nil
        }
    }

    private func unquoted(_ byte: UInt8) -> State? {
        switch byte {
        case ASCII.semicolon: afterSemicolon
        case ASCII.equals: state == .name || state == .nameBlank ? .equals : nil
        case ASCII.quote: state == .equals ? .quoted : nil
        case ASCII.space, ASCII.tab: afterBlank
        default: ByteSet.token.contains(byte) ? afterToken : nil
        }
    }

    private var afterSemicolon: State? {
        switch state {
        case .semicolon, .equals: nil
        default: .semicolon
        }
    }

    private var afterBlank: State {
        switch state {
        case .name, .nameBlank: .nameBlank
        case .token, .tokenBlank, .quotedEnd: .tokenBlank
        default: state
        }
    }

    private var afterToken: State? {
        switch state {
        case .semicolon, .name: .name
        case .equals, .token: .token
        default: nil
        }
    }

    /// What may stand in a quoted string, and in a field's value: anything but control characters other than TAB.
    static func isQuotable(_ byte: UInt8) -> Bool {
        byte == ASCII.tab || (byte >= ASCII.space && byte != ASCII.delete)
    }
}
