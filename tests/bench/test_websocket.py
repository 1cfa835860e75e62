from bench.websocket import frame_at


def test_it_reads_frames_of_every_length() -> None:
    short, long, huge = b"x" * 125, b"y" * 300, b"z" * 70_000
    data = (
        bytes([0x81, 125]) + short
        + bytes([0x81, 126]) + (300).to_bytes(2) + long
        + bytes([0x81, 127]) + (70_000).to_bytes(8) + huge
    )  # fmt: skip

    at, found = 0, []
    while (frame := frame_at(data, at)) is not None:
        opcode, payload, at = frame
        found.append((opcode, payload))

    assert found == [(1, short), (1, long), (1, huge)]


def test_it_waits_for_the_rest_of_a_frame() -> None:
    data = bytes([0x81, 126]) + (300).to_bytes(2) + b"y" * 300

    assert all(frame_at(data[:end], 0) is None for end in range(len(data)))
