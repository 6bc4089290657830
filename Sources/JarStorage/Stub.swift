// SPDX-License-Identifier: Apache-2.0
public struct TenantID: Hashable, Sendable {}
public struct JarID: Hashable, Sendable {}
public struct Revision: Hashable, Sendable {}
public struct JarAddress: Hashable, Sendable {}
public struct JarDraft: Sendable {}
public final class JarSnapshot: Sendable {}
