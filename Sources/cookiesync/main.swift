// SPDX-License-Identifier: Apache-2.0

internal import Glibc

exit(Command.run(CommandLineArguments.current()[...]).rawValue)
