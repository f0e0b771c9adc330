"""Caption files of all formats, with the dirt that they come with."""

import json
from pathlib import Path

import pytest

from media.captions import read_captions
from media.cues import rolls, sentences_of
from records.errors import InputError

SPACE = " "
YOUTUBE = f"""WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.470 align:start position:0%
{SPACE}
good<00:00:00.400><c> morning</c><00:00:00.800><c> from</c>

00:00:02.470 --> 00:00:02.480 align:start position:0%
good morning from
{SPACE}

00:00:02.480 --> 00:00:05.000 align:start position:0%
good morning from
orbis<00:00:03.000><c> 24</c>

00:00:05.000 --> 00:00:05.010 align:start position:0%
orbis 24
{SPACE}

00:00:05.010 --> 00:00:07.000 align:start position:0%
orbis 24
go<00:00:06.000><c> go</c>

00:00:07.000 --> 00:00:07.010 align:start position:0%
go go
{SPACE}

00:00:07.010 --> 00:00:09.000 align:start position:0%
go go
go<00:00:08.000><c> go</c>
"""


def srt(*cues: tuple[float, float, str]) -> str:
    def stamp(seconds: float) -> str:
        return f"00:00:{int(seconds):02d},{round(seconds % 1 * 1000):03d}"

    return "".join(f"{n}\n{stamp(a)} --> {stamp(b)}\n{text}\n\n" for n, (a, b, text) in enumerate(cues, start=1))


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def spoken(path: Path, language: str = "en") -> list[str]:
    return [sentence.text for sentence in sentences_of(read_captions(path), language)]


VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\n{}\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<v Bob>Hello</v> <i>there</i>.", ["Hello there."]),
        ("AT&amp;T &lt;b&gt; &#39;quoted&#39;&nbsp;text.", ["AT&T <b> 'quoted' text."]),
        ("[Music]", []),
        ("[Music] Good evening.", ["Good evening."]),
        ("(applause) Thank you.", ["Thank you."]),
        ("(MAN SHOUTING) Stop.", ["Stop."]),
        ("【音乐】大家好。", ["大家好。"]),
        ("（掌声）谢谢。", ["谢谢。"]),
        ("♪ la la ♪", ["la la"]),
        (">> Good evening.", ["Good evening."]),
        ("&gt;&gt; REPORTER: It is over.", ["It is over."]),
        ("- No.\n- Yes.", ["No.", "Yes."]),
        ("Speaker 2: I agree.", ["I agree."]),
        ("记者：现在开始。", ["现在开始。"]),
        ("The tide (at noon) was 5 < 6 metres.", ["The tide (at noon) was 5 < 6 metres."]),
        ("It said (the foreign minister agreed) no.", ["It said (the foreign minister agreed) no."]),
        ("(upbeat music) Hello.", ["Hello."]),
        ("-5 degrees at night.", ["-5 degrees at night."]),
        ("{curly} text stays.", ["{curly} text stays."]),
        ("zero\u200bwidth\ufffd.", ["zerowidth."]),
    ],
)
def test_marks_and_markup(tmp_path: Path, body: str, expected: list[str]) -> None:
    assert spoken(write(tmp_path, "a.vtt", VTT.format(body)), "und") == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bom.vtt", b"\xef\xbb\xbfWEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nTwo\r\nlines.\r\n"),
        ("mac.vtt", b"WEBVTT\r\r00:01.000 --> 00:02.000\rTwo\rlines.\r"),
        ("utf16.srt", "1\n00:00:01,000 --> 00:00:02,000\nTwo\nlines.\n".encode("utf-16")),
        ("plain.srt", b"1\r\n00:00:01,000 --> 00:00:02,000\r\n<b>Two</b>\r\n{\\an8}lines.\r\n\r\n2\r\n"),
        (
            "notes.vtt",
            b"WEBVTT\n\nSTYLE\n::cue { color: red }\n\nNOTE a comment\nof two lines\n\nintro\n"
            b"00:01.000 --> 00:02.000\nTwo lines.\n",
        ),
        (
            "new.ttml",
            b'<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en"><body><div>'
            b'<p begin="1.0s" dur="1s">Two<br/>lines.</p></div></body></tt>',
        ),
        (
            "old.ttml",
            b'<tt xmlns="http://www.w3.org/2006/10/ttaf1"><body><div><p begin="00:00:01.000" end="00:00:02.000">Two'
            b" <span>lines.</span></p></div></body></tt>",
        ),
        (
            "auto.json3",
            json.dumps(
                {
                    "events": [
                        {"tStartMs": 0, "dDurationMs": 9000, "id": 1},
                        {"tStartMs": 1000, "dDurationMs": 4000, "segs": [{"utf8": "Two"}, {"utf8": " lines."}]},
                        {"tStartMs": 2000, "aAppend": 1, "segs": [{"utf8": "\n"}]},
                    ]
                }
            ).encode(),
        ),
    ],
)  # fmt: skip
def test_formats_and_encodings(tmp_path: Path, name: str, data: bytes) -> None:
    found = sentences_of(read_captions(write(tmp_path, name, data)), "en")
    assert [sentence.text for sentence in found] == ["Two lines."]
    assert found[0].start_s == 1.0
    assert found[0].end_s == (5.0 if name.endswith("json3") else 2.0)


def test_a_wrong_extension_is_read_as_what_it_is(tmp_path: Path) -> None:
    assert spoken(write(tmp_path, "a.vtt", srt((0, 1, "Two lines.")))) == ["Two lines."]
    assert spoken(write(tmp_path, "a.srt", VTT.format("Two lines."))) == ["Two lines."]


def test_a_chinese_file_in_another_encoding(tmp_path: Path) -> None:
    text = "1\n00:00:01,000 --> 00:00:09,000\n第十二届云岭春茶节今天在青岚县开幕，活动为期七天。\n"
    assert spoken(write(tmp_path, "gb.srt", text.encode("gb18030")), "zh") == [
        "第十二届云岭春茶节今天在青岚县开幕，活动为期七天。"
    ]


def test_a_word_split_over_two_cues_is_joined(tmp_path: Path) -> None:
    text = srt((0, 2, "锅温一百八"), (2, 4, "十度"), (4, 5, "。火太大。"))
    assert spoken(write(tmp_path, "a.srt", text), "zh") == ["锅温一百八十度。", "火太大。"]


def test_youtube_rolling_cues_are_collapsed_and_what_is_said_twice_stays(tmp_path: Path) -> None:
    captions = read_captions(write(tmp_path, "a.en.vtt", YOUTUBE))
    assert captions.word_timed
    assert captions.language == "en"
    (sentence,) = sentences_of(captions, "en")
    assert sentence.text == "good morning from orbis 24 go go go go"
    assert (sentence.start_s, sentence.end_s) == (0.16, 9.0)


def test_rolling_cues_without_word_times_are_recognised(tmp_path: Path) -> None:
    lines = ["the river has", "taken the town", "and nobody knew", "what to do"]
    shown = ["\n".join(lines[max(0, index - 1) : index + 1]) for index in range(len(lines))]
    text = srt(*((index, index + 1, both) for index, both in enumerate(shown)))
    captions = read_captions(write(tmp_path, "a.srt", text))
    assert rolls(captions)
    assert [sentence.text for sentence in sentences_of(captions, "en")] == [" ".join(lines)]


def test_growing_cues_keep_what_they_add(tmp_path: Path) -> None:
    parts = ["the river", "the river has taken", "the river has taken the town"]
    text = srt(*((index, index + 1, part) for index, part in enumerate(parts)))
    assert spoken(write(tmp_path, "a.srt", text)) == ["the river has taken the town"]


@pytest.mark.parametrize("gap_s", [0.0, 0.5])
def test_a_chorus_is_not_rolling(tmp_path: Path, gap_s: float) -> None:
    text = srt(*((second + gap_s, second + 1, "Go!") for second in range(4)))
    captions = read_captions(write(tmp_path, "a.srt", text))
    assert not rolls(captions)
    assert [sentence.text for sentence in sentences_of(captions, "en")] == ["Go!"] * 4


def test_overlapping_cues_keep_both_voices_and_drop_a_double(tmp_path: Path) -> None:
    text = srt((1, 4, "We had no choice."), (2, 5, "You had one."), (3, 5, "You had one."))
    assert spoken(write(tmp_path, "a.srt", text)) == ["We had no choice.", "You had one."]


def test_unpunctuated_speech_is_cut_at_pauses(tmp_path: Path) -> None:
    text = srt(
        (0, 2, "the river rose almost two metres in three hours"),
        (2, 3, "nobody was warned"),
        (5, 6, "in the morning the town was under water"),
    )
    assert spoken(write(tmp_path, "a.srt", text)) == [
        "the river rose almost two metres in three hours nobody was warned",
        "in the morning the town was under water",
    ]


def test_a_sentence_over_several_cues_has_its_own_times(tmp_path: Path) -> None:
    text = srt((10, 12, "It rained. The river"), (13, 15, "rose. It was night."))
    found = sentences_of(read_captions(write(tmp_path, "a.srt", text)), "en")
    assert [sentence.text for sentence in found] == ["It rained.", "The river rose.", "It was night."]
    assert found[0].start_s == 10.0
    assert found[0].end_s <= found[1].start_s < 12.0
    assert 13.0 < found[1].end_s <= found[2].start_s
    assert found[2].end_s == 15.0


FRAME_TIMES = b'<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="10f" end="20f">x</p></div></body></tt>'


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.vtt", b"<html>not found</html>", "no WEBVTT header"),
        ("a.ttml", b"<tt", "ttml captions"),
        ("a.ttml", b'<!DOCTYPE tt [<!ENTITY a "b">]><tt/>', "document type"),
        ("a.ttml", FRAME_TIMES, "10f"),
        ("a.json3", b"{}", "KeyError"),
        ("a.json3", b"[1", "JSONDecodeError"),
        ("a.lrc", b"[00:01.00]hi", "not a caption format"),
    ],
)  # fmt: skip
def test_unreadable_captions_name_the_file(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    path = write(tmp_path, name, data)
    with pytest.raises(InputError) as raised:
        read_captions(path)
    assert str(path) in raised.value.message
    assert reason in raised.value.message
    assert raised.value.hint


@pytest.mark.parametrize("name", ["a.vtt", "a.srt"])
def test_empty_captions_have_no_sentences(tmp_path: Path, name: str) -> None:
    data = "WEBVTT\n" if name == "a.vtt" else ""
    assert spoken(write(tmp_path, name, data)) == []
