// SPDX-License-Identifier: Apache-2.0

/// Who calls.
///
/// Handlers and use cases are told, and nothing else about a request's credentials.
///
/// The tokens of tenants join as a case of their own, with their scopes, jars and stores; `Authenticator` is the one
/// place that makes a principal.
enum Principal: Hashable, Sendable {
    /// Anyone who reaches the service: it has no admin token and listens on loopback only.
    case anyone
    /// The holder of the admin token. While there are no tenants' tokens, that includes every jar.
    case admin
}
