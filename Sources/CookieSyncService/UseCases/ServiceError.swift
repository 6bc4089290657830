// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
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
    /// An address belongs to more than one host, and the request does not say which it means.
    case ambiguousAddress(Host)
    /// There are as many of them as a tenant may have; the text says of what.
    case tooMany(String)
    /// Cookies that break a rule, by their place in the request.
    case cookiesRefused([ProblemBody.Item])
}
