# SPDX-License-Identifier: Apache-2.0
# Runs once, when the database's volume is empty: the role of the nodes, which is no superuser, so that row-level security
# binds it. psql reads the password itself, so that no command line holds it.
psql -v ON_ERROR_STOP=1 -U postgres postgres <<'SQL'
\set password `cat /run/secrets/database-password`
CREATE ROLE cookiesync LOGIN PASSWORD :'password';
CREATE DATABASE cookiesync OWNER cookiesync;
SQL
