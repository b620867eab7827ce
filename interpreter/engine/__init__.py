"""Walk a program against the ports.

`program` holds what is walked, `frame` the names and places of one walk, `data` how declared data change, `steps` one
class for each verb, `calls` and `walks` the tool call, `questions` what people are asked, `permissions` which writes a
person permitted, `monitor` the guarantees, `machine` states, gates, transitions and endings.

No clock, no randomness, no files, no network, no event loop: the core awaits `ports.Run` and nothing else.
"""
