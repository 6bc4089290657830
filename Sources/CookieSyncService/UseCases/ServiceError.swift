// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import JarStorage

/// Why a use case failed.
///
/// Nothing has been changed then, `JarStorageError.inDoubt` apart.
enum ServiceError: Error, Sendable {
    /// The storage refused.
    case storage(JarStorageError)
    /// What was asked for does not exist; the text says what kind of thing.
    case notFound(String)
    /// The changes after the revision that was named are not all there any more, or it never was.
    case cursorGone
    /// Cookies that break a rule, by their place in the request.
    case cookiesRefused([ProblemBody.Item])
}
