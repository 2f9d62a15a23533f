#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the daemon in a sandbox takes JSON that is odd or wrong; all texts are a real one's.

usage: test-execd-json.py SERVER
       test-execd-json.py --port PORT    (the same of a real execd)
"""

import contextlib
import json
import sys

from lookalike import Server, fetch, parse_events, run, test

MAYBE = "error parsing request, MAYBE invalid body format. "
RUN = "Go struct field RunCommandRequest."


@contextlib.contextmanager
def daemon():
    if sys.argv[1] == "--port":
        yield int(sys.argv[2])
        return
    with Server("--grace", "20") as server:
        yield server.new_execd()


def refusal(port, path, body, status=400, code="INVALID_REQUEST_BODY"):
    body = body if isinstance(body, bytes) else body.encode()
    answer = fetch(port, "POST", path, body)
    assert answer.status == status, (body, answer)
    assert answer.json()["code"] == code, (body, answer)
    return answer.json()["message"]


def output(port, body):
    answer = fetch(port, "POST", "/command", body if isinstance(body, bytes) else body.encode())
    assert answer.status == 200, (body, answer)
    return [event["text"] for event in parse_events(answer.body)[0] if event["type"] == "stdout"]


@test
def types_of_members_are_insisted_on(port):
    for member, value, what in (
            ("timeout", '"5"', "string|int64"), ("timeout", "1.5", "number 1.5|int64"),
            ("timeout", "9223372036854775808", "number 9223372036854775808|int64"),
            ("timeout", "[1]", "array|int64"), ("uid", "-1", "number -1|uint32"),
            ("uid", "4294967296", "number 4294967296|uint32"), ("uid", "1e1", "number 1e1|uint32"),
            ("uid", "-0", "number -0|uint32"), ("uid", "{}", "object|uint32"),
            ("cwd", "5", "number|string"), ("cwd", "false", "bool|string"),
            ("background", '"yes"', "string|bool"), ("background", "1", "number|bool"),
            ("envs", "[]", "array|map[string]string"), ("envs", '{"A":1}', "number|string"),
            ("envs", '{"A":{"b":1}}', "object|string")):
        found, wanted = what.split("|")
        message = refusal(port, "/command", f'{{"command":"echo a","{member}":{value}}}')
        assert message == (f"{MAYBE}json: cannot unmarshal {found} into {RUN}{member} of type "
                           f"{wanted}"), message


@test
def the_first_wrong_member_is_told(port):
    message = refusal(port, "/command", '{"timeout":"x","command":5}')
    assert message.endswith("string into Go struct field RunCommandRequest.timeout of type int64")
    message = refusal(port, "/command", '{"command":"","timeout":-1}')
    assert message.count("\nKey: 'RunCommandRequest.TimeoutMs'") == 1, message


@test
def null_leaves_a_member_as_it_is(port):
    assert output(port, '{"command":"echo a","command":null,"uid":null,"envs":null}') == ["a"]
    assert output(port, '{"command":"echo a$A","envs":{"A":null}}') == ["a"]


@test
def what_follows_the_value_is_not_looked_at(port):
    for tail in (" trailing", "}", '{"command":"echo b"}', " // c"):
        assert output(port, '{"command":"echo a"}' + tail) == ["a"], tail


@test
def names_are_taken_in_any_case(port):
    assert output(port, '{"COMMAND":"pwd","Cwd":"/tmp"}') == ["/tmp"]
    assert output(port, '{"command":"echo a","Command":"echo b"}') == ["b"]
    message = refusal(port, "/command", '{"command":"echo a","bac\u212aground":1}')
    assert message.endswith("RunCommandRequest.background of type bool"), message


@test
def bytes_that_are_no_text_are_replaced(port):
    assert output(port, b'{"command":"echo \xff\xfe"}') == ["\ufffd\ufffd"]
    assert output(port, '{"command":"echo \\ud800 \\ud83d\\ude00"}') == ["\ufffd \U0001f600"]


@test
def what_is_no_json_is_refused_in_words_of_go(port):
    for body, words in (
            ("", "EOF"), ("  ", "EOF"), ("{", "unexpected EOF"), ("nul", "unexpected EOF"),
            ('{"command":"echo', "unexpected EOF"), ("[1", "unexpected EOF"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{'a':1}", "invalid character '\\'' looking for beginning of object key string"),
            ('{"a":1,}', "invalid character '}' looking for beginning of object key string"),
            ('{"a" 1}', "invalid character '1' after object key"),
            ('{"a":1 "b":1}', "invalid character '\"' after object key:value pair"),
            ('{"a":[1 2]}', "invalid character '2' after array element"),
            ('{"a":01}', "invalid character '1' after object key:value pair"),
            ('{"a":1.}', "invalid character '}' after decimal point in numeric literal"),
            ('{"a":1e}', "invalid character '}' in exponent of numeric literal"),
            ('{"a":-}', "invalid character '}' in numeric literal"),
            ('{"a":tru}', "invalid character '}' in literal true (expecting 'e')"),
            ('{"a":"\n"}', "invalid character '\\n' in string literal"),
            ('{"a":"\\x"}', "invalid character 'x' in string escape code"),
            ('{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"),
            ("\ufeff{}", "invalid character 'ï' looking for beginning of value"),
            ("[" * 10001, "invalid character '[' exceeded max depth")):
        assert refusal(port, "/command", body) == MAYBE + words, body
    for body, kind in (("[]", "array"), ('"x"', "string"), ("5", "number"), ("true", "bool")):
        assert refusal(port, "/command", body) == (
            f"{MAYBE}json: cannot unmarshal {kind} into Go value of type model.RunCommandRequest")


@test
def members_nobody_knows_may_be_deep(port):
    deep = "[" * 5000 + "]" * 5000
    assert output(port, f'{{"x":{deep},"command":"echo a"}}') == ["a"]


@test
def each_route_has_its_own_words(port):
    wrong = "json: cannot unmarshal number into Go "
    for path, body, message in (
            ("/session", '{"cwd":5}', "error parsing request. " + wrong
             + "struct field CreateSessionRequest.cwd of type string"),
            ("/session/x/run", '{"command":5}', "error parsing request. " + wrong
             + "struct field RunInSessionRequest.command of type string"),
            ("/session/x/run", '{"command":"a","timeout":-1}', "invalid request. Key: "
             "'RunInSessionRequest.Timeout' Error:Field validation for 'Timeout' failed on the "
             "'gte' tag"),
            ("/pty", '{"command":5}', "error parsing request: " + wrong
             + "struct field CreatePTYSessionRequest.command of type string"),
            ("/code", '{"code":"a","context":{"language":5}}', MAYBE + wrong
             + "struct field CodeContext.context.CodeContextRequest.language of type string"),
            ("/files/permissions", '{"/p":5}', MAYBE + wrong + "value of type model.Permission"),
            ("/directories", '{"/p":{"owner":5}}', MAYBE + wrong
             + "struct field Permission.owner of type string"),
            ("/files/mv", "[5]", MAYBE + wrong + "value of type model.RenameFileItem"),
            ("/files/mv", '[{"src":5}]', MAYBE + wrong
             + "struct field RenameFileItem.src of type string"),
            ("/files/replace", '{"/p":{"old":5}}', MAYBE + wrong
             + "struct field ReplaceFileContentItem.old of type string")):
        assert refusal(port, path, body) == message, (path, body)
    for path in ("/session", "/pty"):
        assert fetch(port, "POST", path, b" ").status in (200, 201)
    assert fetch(port, "POST", "/files/mv", b"null").status == 200


@test
def metadata_of_an_upload_is_taken_whole(port):
    def upload(metadata):
        parts = (("metadata", metadata), ("file", b"data"))
        body = b"".join(b'--B\r\nContent-Disposition: form-data; name="' + name.encode()
                        + b'"; filename="f"\r\n\r\n' + content + b"\r\n"
                        for name, content in parts) + b"--B--\r\n"
        return fetch(port, "POST", "/files/upload", body,
                     headers={"Content-Type": "multipart/form-data; boundary=B"})

    for metadata, words in (
            (b'{"path":5}', "json: cannot unmarshal number into Go struct field FileMetadata.path "
             "of type string"),
            (b'{"path":"/tmp/f","mode":"640"}', "json: cannot unmarshal string into Go struct "
             "field FileMetadata.Permission.mode of type int"),
            (b'{"path":"/tmp/f"} x', "invalid character 'x' after top-level value"),
            (b"{", "unexpected end of JSON input"), (b"", "unexpected end of JSON input")):
        answer = upload(metadata)
        assert answer.status == 400, answer
        assert answer.json() == {"code": "INVALID_FILE_METADATA",
                                 "message": "invalid metadata format. " + words}, answer
    answer = upload(json.dumps({"PATH": "/tmp/execd-json", "Mode": 600}).encode())
    assert answer.status == 200, answer


run(daemon())
