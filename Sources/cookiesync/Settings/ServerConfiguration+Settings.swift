// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer

extension ServerConfiguration {
    /// The server's configuration as the settings have it.
    ///
    /// What no setting speaks of keeps the server's default.
    init(_ settings: Settings) {
        self.init()
        func set(_ member: inout Int, _ setting: Setting) {
            if let number = settings.number(setting) { member = number }
        }
        host = settings.text(.host) ?? host
        port = settings.number(.port).flatMap { UInt16(exactly: $0) } ?? port
        compressesResponses = settings.flag(.compression)
        set(&loops, .loops)
        set(&maximumConnections, .connections)
        set(&maximumConnectionsPerAddress, .connectionsPerAddress)
        set(&backlog, .backlog)
        set(&pipelineDepth, .pipelineDepth)
        set(&streamBufferBytes, .streamBufferBytes)
        set(&limits.requestLineBytes, .requestLineBytes)
        set(&limits.fieldBlockBytes, .headerBytes)
        set(&limits.fieldCount, .headerFields)
        set(&limits.fieldBytes, .headerFieldBytes)
        set(&limits.chunkLineBytes, .chunkLineBytes)
        set(&limits.inFlightBodyBytes, .bodyMemory)
        set(&limits.inflationRatio, .inflationRatio)
        set(&timeouts.header, .headerTimeout)
        set(&timeouts.body, .bodyTimeout)
        set(&timeouts.bodyGrace, .bodyGrace)
        set(&timeouts.bodyBytesPerSecond, .bodyRate)
        set(&timeouts.idle, .idleTimeout)
        set(&timeouts.handler, .handlerTimeout)
        set(&timeouts.responseStall, .responseTimeout)
        set(&timeouts.linger, .lingerTimeout)
    }
}
