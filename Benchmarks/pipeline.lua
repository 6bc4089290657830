-- SPDX-License-Identifier: Apache-2.0
-- Sends sixteen requests at once on each connection; wrk counts their answers one by one.
init = function()
    local one = wrk.format()
    requests = string.rep(one, 16)
end

request = function()
    return requests
end
