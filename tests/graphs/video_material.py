"""A small video made for the tests, and a fake model that really looks at it.

Coloured squares come into view one after another, and captions tell of them. `script` answers every kind of request of
the video track from what the prompt shows: it reads the numbered lists and finds squares by colour in the JPEGs.
"""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from tests.fakeserver.request import ChatRequest

SECONDS = 36
SQUARES = {
    "red": ((40, 40, 230), (0.10, 0.10, 0.40, 0.50), 6.0),
    "green": ((60, 200, 40), (0.60, 0.15, 0.90, 0.55), 14.0),
    "blue": ((220, 60, 30), (0.35, 0.55, 0.65, 0.95), 24.0),
}
"""Colour (blue, green, red), box, and the second at which it comes into view."""
ENGLISH = (
    "Welcome to the workshop on balance.", "Today we build a small mobile.", "Here comes the red board on the left.",
    "It weighs 40 grams and is made of birch.", "A thread holds it at one end.", "The bar now tips to the left.",
    "The green board comes on the right.", "It weighs 60 grams, a little more.", "So the bar tips to the right.",
    "At last we hang the blue board below.", "It weighs 20 grams and calms the bar.", "Now everything is in balance.",
)  # fmt: skip
CHINESE = (
    "欢迎来到平衡工作坊。", "今天我们做一个小吊饰。", "左边先出现红色木板。", "它重40克，用桦木做成。",
    "一根线系住它的一端。", "横杆现在向左倾斜。", "右边出现绿色木板。", "它重60克，稍微重一点。", "于是横杆向右倾斜。",
    "最后我们挂上蓝色木板。", "它重20克，让横杆稳定下来。", "现在一切都平衡了。",
)  # fmt: skip


def write_video(folder: Path, name: str = "mobile", *, chinese: bool = False, captions: bool = True) -> Path:
    """The video with captions and metadata beside it; returns its file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=5)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 320, 240, "yuv420p", 2_000_000
        stream.codec_context.time_base = Fraction(1, 1000)
        for number in range(SECONDS * 5):
            frame = av.VideoFrame.from_ndarray(picture(number / 5), format="bgr24")
            frame.pts, frame.time_base = number * 200, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    language = "zh-Hans" if chinese else "en"
    if captions:
        (folder / f"{name}.{language}.vtt").write_text(vtt(CHINESE if chinese else ENGLISH), encoding="utf-8")
    info = {"id": name, "title": "Balance", "duration": SECONDS, "language": language, "extractor_key": "Youtube"}
    (folder / f"{name}.info.json").write_text(json.dumps({**info, "categories": ["Education"]}), encoding="utf-8")
    return path


def picture(time_s: float) -> np.ndarray:
    pixels = np.full((240, 320, 3), 90, np.uint8)
    if time_s >= 18:
        pixels[:] = (170, 160, 30)
    for colour, (x0, y0, x1, y1), since in SQUARES.values():
        if time_s >= since:
            pixels[int(y0 * 240) : int(y1 * 240), int(x0 * 320) : int(x1 * 320)] = colour
    return pixels


def vtt(sentences: tuple[str, ...]) -> str:
    step = SECONDS / len(sentences)
    cues = [
        f"{_stamp(n * step)} --> {_stamp((n + 1) * step - 0.2)}\n{sentence}\n" for n, sentence in enumerate(sentences)
    ]
    return "WEBVTT\n\n" + "\n".join(cues)


def _stamp(seconds: float) -> str:
    return f"00:{int(seconds // 60):02d}:{seconds % 60:06.3f}"


# --- the fake model


def script(request: ChatRequest) -> dict[str, Any] | None:
    """The reply to a request of the video track; None leaves it to the schema."""
    answer = globals().get(f"_{request.schema_name}")
    return answer(request) if answer else None


def squares_in(jpeg: bytes) -> dict[str, list[float]]:
    """The squares in a frame, by colour, as shares of the frame."""
    pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).astype(int)
    found = {}
    for name, (colour, _, _) in SQUARES.items():
        rows, columns = np.nonzero(np.abs(pixels - np.array(colour)).max(axis=2) < 60)
        if len(rows) > 200:
            height, width = pixels.shape[:2]
            edges = (columns.min() / width, rows.min() / height, (columns.max() + 1) / width, (rows.max() + 1) / height)
            found[name] = [round(float(edge), 3) for edge in edges]
    return found


def _block(request: ChatRequest, name: str) -> str:
    found = re.search(rf"<{name}[^>]*>\n?(.*?)\n?</{name}>", request.text, re.DOTALL)
    return found[1] if found else ""


def _numbered(request: ChatRequest, name: str) -> list[str]:
    return re.findall(r"^\d+\. (.*)$", _block(request, name), re.MULTILINE)


def _events(request: ChatRequest) -> list[tuple[float, float, str]]:
    lines = re.findall(r"^\d+\. \[([\d.]+)-([\d.]+) s, [^\]]*\] (.*)$", _block(request, "events"), re.MULTILINE)
    return [(float(start), float(end), text) for start, end, text in lines]


def _chinese(request: ChatRequest) -> bool:
    return "in Chinese" in request.text


def _QualityReply(request: ChatRequest) -> dict[str, Any]:
    return {"reasoning": "clear speech", "coherence": 5, "continuity": 4, "density": 4}


def _SegmentReply(request: ChatRequest) -> dict[str, Any]:
    borders = re.search(r"begins with sentence (\d+), the last one ends with sentence (\d+)", request.text)
    first, last = map(int, borders.groups())
    pieces = [{"topic": "a step", "first": n, "last": min(n + 1, last)} for n in range(first, last + 1, 2)]
    return {"reasoning": "two by two", "pieces": pieces}


def _RefineReply(request: ChatRequest) -> dict[str, Any]:
    lines = re.findall(r"^(\d+)\. (.*)$", _block(request, "sentences"), re.MULTILINE)
    return {
        "reasoning": "",
        "sentences": [{"number": int(n), "text": text.replace("吊饰", "吊式")} for n, text in lines],
    }


_THINGS = ("opens the box", "ties a thread", "tips the bar", "adds a board", "hangs a weight", "lets go of it")
_THINGS_ZH = ("打开盒子", "系上细线", "拨动横杆", "添上木板", "挂上重物", "松开双手")


def _EventReply(request: ChatRequest) -> dict[str, Any]:
    number = int(re.search(r"This is segment (\d+) of", request.text)[1])
    if _chinese(request):
        return {
            "reasoning": "",
            "event": f"主持人{_THINGS_ZH[(number - 1) % 6]}，准备下一步。",
            "audio": "讲解员说明步骤。",
        }
    return {
        "reasoning": "",
        "event": f"The host {_THINGS[(number - 1) % 6]} at the table.",
        "audio": "The host explains it.",
    }


def _ObjectClassReply(request: ChatRequest) -> dict[str, Any]:
    return {"reasoning": "boards come in", "real_world": True, "rich_objects": True, "moving_objects": True}


def _ObjectsReply(request: ChatRequest) -> dict[str, Any]:
    names = {"red": "红色木板", "green": "绿色木板", "blue": "蓝色木板"}
    zh = _chinese(request)
    objects = [{"name": names[c] if zh else f"the {c} board", "phrase": f"{c} board"} for c in SQUARES]
    return {"reasoning": "three boards", "objects": objects}


def _wanted(request: ChatRequest) -> list[str]:
    return [re.search(r"\((\w+) board\)", line)[1] for line in _numbered(request, "objects")]


def _PresenceReply(request: ChatRequest) -> dict[str, Any]:
    wanted = _wanted(request)
    frames = [
        {"frame": n, "present": [wanted.index(colour) + 1 for colour in squares_in(jpeg)]}
        for n, jpeg in enumerate(request.images, start=1)
    ]
    return {"frames": frames}


def _GroundReply(request: ChatRequest) -> dict[str, Any]:
    seen = squares_in(request.images[0])
    boxes = [{"object": n, "box": seen[c]} for n, c in enumerate(_wanted(request), start=1) if c in seen]
    return {"reasoning": "", "boxes": boxes}


def _DescriptionsReply(request: ChatRequest) -> dict[str, Any]:
    count = len(_numbered(request, "objects"))
    return {"objects": [{"object": n, "description": "A painted board that hangs still."} for n in range(1, count + 1)]}


def _CultureClassReply(request: ChatRequest) -> dict[str, Any]:
    return {"reasoning": "a lantern dance", "chinese": True, "american": True, "european": True}


def _ConceptsReply(request: ChatRequest) -> dict[str, Any]:
    return {"reasoning": "", "concepts": [{"concept": "Lantern dance", "shown": "early on"}]}


def _ScienceClassReply(request: ChatRequest) -> dict[str, Any]:
    return {
        "reasoning": "levers", "relevance": 5, "density": 4, "kind": "both", "discipline": "physics",
        "sub_discipline": "university physics",
    }  # fmt: skip


def _type(request: ChatRequest) -> str:
    return re.search(r"Write one question of the type (\w+),", request.text)[1]


_ASKED = {
    "ED": ("What does the host do with her hands early on?", "主持人开头用手做了什么？"),
    "EW": ("Why does the host turn to the box again?", "主持人为何再次转向盒子？"),
    "EP": ("What is the host most likely to do next?", "主持人接下来最可能做什么？"),
    "CC": ("What was the dance by the bench first meant for?", "视频中的舞蹈最初是为了什么？"),
    "AC": ("Which town first held the parade that is shown?", "视频中的游行最早在哪里举行？"),
    "EC": ("When was the bridge behind the host opened?", "主持人身后的桥建于哪一年？"),
    "SS": ("Which statement sums up how the mobile works?", "哪一项概括了吊饰的原理？"),
    "COM": ("How does this bar differ from a beam scale?", "这根横杆与天平有何不同？"),
    "AP": ("How is the bar brought to rest in the workshop?", "视频中如何让横杆静止？"),
    "SP": ("Why does the bar tip when the board is added?", "加上木板后横杆为何倾斜？"),
}  # fmt: skip
_TEXTS = (
    (
        "It moves the knot along the bar", "It cuts the thread with a knife", "It paints both boards green",
        "It counts the boards aloud",
    ),
    ("沿横杆移动绳结的位置", "用小刀剪断那根细线", "把两块木板涂成绿色", "大声数出木板的数量"),
)  # fmt: skip


def _TextDraftReply(request: ChatRequest) -> dict[str, Any]:
    kind, zh = _type(request), _chinese(request)
    number = 4 if kind == "EP" else 2
    options = {letter: {"text": text} for letter, text in zip("ABCD", _TEXTS[zh], strict=True)}
    return _drafted(stem=_ASKED[kind][zh], event=number, options=options, correct_answer="B")


def _RolesDraftReply(request: ChatRequest) -> dict[str, Any]:
    zh = _chinese(request)
    roles = ("knowledge-error", "correct", "dual-error", "comprehension-error")
    texts = zip("ABCD", _TEXTS[zh], roles, strict=True)
    options = {letter: {"text": text, "role": role} for letter, text, role in texts}
    return _drafted(stem=_ASKED[_type(request)][zh], event=3, options=options, correct_answer="B")


def _MomentDraftReply(request: ChatRequest) -> dict[str, Any]:
    events = _events(request)
    start, end, text = events[2]
    stem = f"大约在什么时候{text[3:7]}？" if _chinese(request) else f"At about what time is this seen: {text[:40]}?"
    return _drafted(stem=stem, event=3, options=_times(start + 1, [0, end + 6, end + 14]), correct_answer="A")


def _ObjectMomentDraftReply(request: ChatRequest) -> dict[str, Any]:
    first = float(re.search(r"notice at ([\d.]+) s", _block(request, "objects"))[1])
    stem = "红色木板什么时候第一次出现？" if _chinese(request) else "At what time is the red board first to be seen?"
    return _drafted(stem=stem, object=1, options=_times(first, [1, first + 8, first + 20]), correct_answer="A")


def _times(right: float, wrong: list[float]) -> dict[str, Any]:
    return {letter: {"time_s": time} for letter, time in zip("ABCD", [right, *wrong], strict=True)}


def _OrderDraftReply(request: ChatRequest) -> dict[str, Any]:
    zh = _chinese(request)
    if _type(request) == "ES":
        things, stem = (
            _THINGS_ZH if zh else _THINGS,
            "以下动作的先后顺序是什么？" if zh else "In which order are these done?",
        )
    else:
        things = ("红色木板", "绿色木板", "蓝色木板") if zh else ("the red board", "the green board", "the blue board")
        stem = "以下木板按什么顺序出现？" if zh else "In which order do these boards first appear?"
    steps = [{"item": n, "text": things[n - 1]} for n in (1, 2, 3)]
    orders = {"A": [2, 1, 3], "B": [1, 3, 2], "C": [1, 2, 3], "D": [3, 1, 2]}
    options = {letter: {"order": order} for letter, order in orders.items()}
    return _drafted(stem=stem, event=1, steps=steps, options=options, correct_answer="C")


def _BoxDraftReply(request: ChatRequest) -> dict[str, Any]:
    line = re.search(r"notice at ([\d.]+) s \((\S+)\), box \[([^\]]*)\]", _block(request, "objects"))
    box = [float(value) for value in line[3].split(",")]
    wrong = [[0.65, 0.5, 0.95, 0.9], [0.6, 0.0, 0.9, 0.4], [0.3, 0.58, 0.6, 0.98]]
    options = {letter: {"box": each} for letter, each in zip("ABCD", [box, *wrong], strict=True)}
    stem = (
        f"在{line[2]}时，哪个框最贴合红色木板？"
        if _chinese(request)
        else f"At {line[2]}, which box fits the red board best?"
    )
    return _drafted(stem=stem, object=1, options=options, correct_answer="A")


def _drafted(**question: Any) -> dict[str, Any]:
    return {"reasoning": "from the log", "declined": "", "question": {"event": 0, "evidence": "0:00:07", **question}}
