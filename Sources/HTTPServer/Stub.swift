// SPDX-License-Identifier: Apache-2.0
public struct HTTPRequest {}
public struct HTTPResponse: Sendable {}
public struct HTTPExchange: ~Copyable {}
