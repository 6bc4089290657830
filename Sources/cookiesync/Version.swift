// SPDX-License-Identifier: Apache-2.0

/// The version of this build, as in CHANGELOG.md.
enum Version {
    static let current = "0.1.0"
}
