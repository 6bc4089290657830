// SPDX-License-Identifier: Apache-2.0

extension StaticString {
    /// The UTF-8 bytes.
    ///
    /// `withUTF8Buffer` would also encode a lone scalar, of which there is none here, before each look.
    var bytes: UnsafeBufferPointer<UInt8> {
        guard hasPointerRepresentation else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
