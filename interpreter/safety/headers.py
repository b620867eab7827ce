"""Names and values of headers: which may be set, and by whom. Credentials have places of their own in a profile."""

from __future__ import annotations

from rules.patterns import regex

HEADER = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
HEADER_VALUE = regex(r"[!-~]([ -~\t]{0,7998}[!-~])?|")
#: The name of an environment variable, which a profile writes in place of a secret.
VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
CREDENTIAL_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie"})
#: The connection's own, and those that hold credentials.
OWN_HEADERS = CREDENTIAL_HEADERS | frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect", "keep-alive"}
    | {"content-encoding"}
)
#: Those in which services take a key. A profile names the variable with its value, under `secret_headers`.
KEY_HEADERS = frozenset(
    {"api-key", "apikey", "x-api-key", "x-apikey", "x-auth-token", "x-access-token", "private-token", "x-gitlab-token"}
    | {"x-goog-api-key", "x-subscription-token", "x-rapidapi-key", "x-vault-token", "ocp-apim-subscription-key"}
)
#: Names of the query under which services take a key; `secret_query` names the variable with its value.
KEYS_IN_QUERY = frozenset(
    {"key", "apikey", "api_key", "api-key", "access_token", "auth_token", "token", "secret", "app_secret"}
    | {"subscription-key", "x-api-key", "password"}
)
#: What no document writes down with its value.
NEVER_WRITTEN = OWN_HEADERS | KEY_HEADERS
