"""The Gradio page: videos at the left, question and scores at the right, progress and help in tabs of their own.

Gradio lays out and carries navigation, the key, the verdicts and the correction form. Scores, comments and watched
spans go straight to the server's own addresses (static/review.js), so that each is kept the moment it is given.
"""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from records.errors import BenchwrightError
from records.questions import Question
from records.review import Reviewer
from review import pages
from review.desk import Desk
from review.edits import EditForm, form_of
from review.journal import StaleEdit
from review.server import HOME, Door, language_of
from review.words import words
from review.work import Standing, progress

_HEAD = '<link rel="icon" href="data:,"><script src="/static/review.js" defer></script>'
_PLACE = "{item_id}@{revision}"
_BUTTONS = ("previous", "next", "next_open", "show_key", "show_after", "edit")


def mount_page(app: Any, desk: Desk, door: Door) -> Any:
    """The app with the Gradio page under `HOME`."""
    page = Page(desk, door)
    return gr.mount_gradio_app(
        app,
        page.build(),
        path=HOME,
        auth_dependency=lambda request: reviewer.name if (reviewer := door.who(request)) else None,
        allowed_paths=[],
        footer_links=[],
        run_history=False,
        show_error=True,
        enable_monitoring=False,
        mcp_server=False,
        ssr_mode=False,
        css_paths=[pages.STATIC / "review.css"],
        head=_HEAD,
        theme=_theme(),
    )


class Page:
    """Builds the Blocks and answers their events. Holds no state of a reviewer: the item's id travels in the page."""

    def __init__(self, desk: Desk, door: Door) -> None:
        """`desk` is what may be seen and saved, `door` who is in."""
        self.desk = desk
        self.door = door
        self.letters = sorted({letter for item in desk.material.items.values() for letter in item.question.options})
        self.parts: dict[str, Any] = {}

    def build(self) -> Any:
        """The Blocks with all events."""
        with gr.Blocks(title="Benchwright review", analytics_enabled=False, fill_width=True) as blocks:
            parts = self.parts
            parts["place"] = gr.Textbox(visible="hidden", elem_id="bw-place")
            parts["header"] = gr.HTML(elem_id="bw-header")
            with gr.Tabs(elem_id="bw-tabs"):
                with gr.Tab("Review", id="review") as parts["tab_review"], gr.Row(elem_id="bw-main"):
                    with gr.Column(scale=64, elem_id="bw-left", min_width=320):
                        parts["viewer"] = gr.HTML(elem_id="bw-viewer-host")
                    with gr.Column(scale=36, elem_id="bw-right", min_width=320):
                        self._build_right()
                with gr.Tab("Progress", id="progress") as parts["tab_progress"]:
                    parts["progress"] = gr.HTML()
                    parts["agreement"] = gr.HTML(elem_id="bw-agreement-host", min_height=120)
                with gr.Tab("Help", id="help") as parts["tab_help"]:
                    parts["help"] = gr.HTML()
            self._wire(blocks)
        blocks.queue(default_concurrency_limit=20, max_size=None)
        return blocks

    def _build_right(self) -> None:
        parts = self.parts
        parts["notice"] = gr.HTML(elem_id="bw-notice-host")
        parts["question"] = gr.HTML(elem_id="bw-question-host")
        parts["sheet"] = gr.HTML(elem_id="bw-sheet-host")
        with gr.Row(elem_id="bw-buttons"):
            for name in _BUTTONS:
                parts[name] = gr.Button(name, size="sm", min_width=40, elem_id=f"bw-{name.replace('_', '-')}")
        parts["after"] = gr.HTML(elem_id="bw-after-host")
        with gr.Group(visible=False, elem_id="bw-edit-form") as parts["form"]:
            self._build_form()

    def _build_form(self) -> None:
        parts = self.parts
        parts["stem"] = gr.Textbox(label="stem", lines=2, max_lines=8, elem_id="bw-edit-stem")
        for letter in self.letters:
            parts[f"option_{letter}"] = gr.Textbox(
                label=letter, lines=1, max_lines=6, visible=False, elem_id=f"bw-edit-{letter}"
            )
        parts["key"] = gr.Radio([], label="key", elem_id="bw-edit-key")
        parts["evidence"] = gr.Textbox(label="evidence", lines=2, max_lines=6, elem_id="bw-edit-evidence")
        parts["support"] = gr.CheckboxGroup([], label="support", elem_id="bw-edit-support")
        parts["reason"] = gr.Textbox(label="reason", lines=1, elem_id="bw-edit-reason")
        with gr.Column(elem_id="bw-edit-foot"):
            parts["rules"] = gr.HTML(elem_id="bw-rules-host")
            with gr.Row():
                parts["close_edit"] = gr.Button("close", size="sm", elem_id="bw-close-edit")
                parts["check"] = gr.Button("check", elem_id="bw-check")  # clicked by the page's script, never seen
                parts["save_edit"] = gr.Button("save", size="sm", variant="primary", elem_id="bw-save-edit")

    # Events

    def _wire(self, blocks: Any) -> None:
        parts = self.parts
        everything = list(parts.values())
        quiet = {"show_progress": "hidden", "api_visibility": "private"}
        blocks.load(self.on_load, None, everything, **quiet)
        for name, step in (("previous", "previous"), ("next", "next"), ("next_open", "open")):
            parts[name].click(self._stepping(step), parts["place"], everything, **quiet)
        parts["place"].input(self.on_place, parts["place"], everything, **quiet)
        parts["show_key"].click(
            self.on_key, [parts["place"], parts["question"]], self._some("question", "show_key"), **quiet
        )
        parts["show_after"].click(
            self.on_after, [parts["place"], parts["after"]], self._some("after", "show_after", "notice"), **quiet
        )
        parts["edit"].click(self.on_edit, parts["place"], everything, **quiet)
        parts["close_edit"].click(self.on_close, None, self._some("form"), **quiet)
        fields = self._form_parts()
        parts["save_edit"].click(self.on_save_edit, [parts["place"], parts["reason"], *fields], everything, **quiet)
        inputs = [parts["place"], *fields]
        parts["check"].click(self.on_check, inputs, parts["rules"], trigger_mode="always_last", **quiet)
        parts["tab_progress"].select(self.on_progress, None, parts["progress"], **quiet)
        slow = {**quiet, "show_progress": "minimal"}
        parts["tab_progress"].select(self.on_agreement, None, parts["agreement"], **slow)

    def _some(self, *names: str) -> list[Any]:
        return [self.parts[name] for name in names]

    def _form_parts(self) -> list[Any]:
        options = [f"option_{letter}" for letter in self.letters]
        return self._some("stem", "key", "evidence", "support", *options)

    def _stepping(self, step: str) -> Callable[..., dict[Any, Any]]:
        def move(request: gr.Request, place: str) -> dict[Any, Any]:
            reviewer, language = self._who(request)
            queue = self.desk.queue(reviewer)
            there = _step(queue, _item_of(place), step)
            before = _item_of(place)
            return self._show(reviewer, language, queue, there, before)

        return move

    def on_load(self, request: gr.Request) -> dict[Any, Any]:
        """Fill the page: the item that the address names, else the first that is still to do."""
        reviewer, language = self._who(request)
        queue = self.desk.queue(reviewer)
        wanted = str(request.query_params.get("item", ""))
        there = next((one for one in queue if one.item_id == wanted), None) or _step(queue, "", "open")
        return {**self._labels(language), **self._show(reviewer, language, queue, there, "")}

    def on_place(self, request: gr.Request, place: str) -> dict[Any, Any]:
        """Show the item whose id the page has set."""
        reviewer, language = self._who(request)
        queue = self.desk.queue(reviewer)
        there = next((one for one in queue if one.item_id == _item_of(place)), None)
        return self._show(reviewer, language, queue, there, "")

    def on_key(self, request: gr.Request, place: str, shown: str) -> dict[Any, Any]:
        """Show the key, or hide it again."""
        reviewer, language = self._who(request)
        standing = self.desk.standing(reviewer, _item_of(place))
        show = 'id="bw-key"' not in (shown or "")
        if show:
            self.desk.key_opened(reviewer, standing.item_id)
        return {
            self.parts["question"]: self._question(standing, language, show_key=show),
            self.parts["show_key"]: _button(words(language)["hide_key" if show else "show_key"], "k"),
        }

    def on_after(self, request: gr.Request, place: str, shown: str) -> dict[Any, Any]:
        """Open the verdicts, or say why not yet."""
        reviewer, language = self._who(request)
        texts = words(language)
        if 'id="bw-after"' in (shown or ""):
            return {self.parts["after"]: "", self.parts["show_after"]: _button(texts["show_after"], "v")}
        standing = self.desk.standing(reviewer, _item_of(place))
        if not standing.complete:
            return {self.parts["notice"]: pages.notice(texts["score_first"], language, "bad")}
        opened = self.desk.after(reviewer, standing.item_id)
        return {
            self.parts["after"]: pages.after(opened, self.desk.sheet, language),
            self.parts["show_after"]: _button(texts["hide_after"], "v"),
            self.parts["notice"]: "",
        }

    def on_edit(self, request: gr.Request, place: str) -> dict[Any, Any]:
        """Open the correction form, filled with the current text."""
        reviewer, language = self._who(request)
        standing = self.desk.standing(reviewer, _item_of(place))
        if not standing.complete:
            return {self.parts["notice"]: pages.notice(words(language)["edit_first"], language, "bad")}
        question = self.desk.question(standing.item_id, standing.revision)
        return {
            **self._filled(question, language),
            self.parts["form"]: gr.update(visible=True),
            self.parts["rules"]: pages.rules(
                self.desk.check(standing.item_id, standing.revision, form_of(question)), language
            ),
            self.parts["notice"]: "",
        }

    def on_close(self) -> Any:
        """Close the correction form."""
        return gr.update(visible=False)

    def on_check(self, request: gr.Request, place: str, *fields: Any) -> str:
        """What the rules say about the text in the form as it stands."""
        reviewer, language = self._who(request)
        standing = self.desk.standing(reviewer, _item_of(place))
        try:
            report = self.desk.check(standing.item_id, standing.revision, self._form(standing, fields))
        except BenchwrightError as error:
            return pages.rules(None, language, str(error))
        return pages.rules(report, language)

    def on_save_edit(self, request: gr.Request, place: str, reason: str, *fields: Any) -> dict[Any, Any]:
        """Keep the correction as a new revision and show it, ready to be scored."""
        reviewer, language = self._who(request)
        standing = self.desk.standing(reviewer, _item_of(place))
        try:
            form = self._form(standing, fields)
            kept = self.desk.save_edit(reviewer, standing.item_id, _revision_of(place), form, reason)
        except StaleEdit:
            return {self.parts["rules"]: pages.rules(None, language, words(language)["edit_stale"])}
        except BenchwrightError as error:
            return {self.parts["rules"]: pages.rules(None, language, str(error))}
        queue = self.desk.queue(reviewer)
        there = next((one for one in queue if one.item_id == standing.item_id), None)
        told = words(language)["edit_saved"].format(revision=kept.revision)
        return {
            **self._show(reviewer, language, queue, there, standing.item_id),
            self.parts["notice"]: pages.notice(told, language),
        }

    def on_progress(self, request: gr.Request) -> str:
        """Everybody's progress."""
        reviewer, language = self._who(request)
        return pages.progress_page(self.desk.progress(self.door.users.reviewers), reviewer.name, language)

    def on_agreement(self, request: gr.Request) -> str:
        """The agreement so far, once the reviewer's own items are done; takes seconds where many were scored."""
        from review.people import agreement_rows

        reviewer, language = self._who(request)
        if any(one.open and one.role != "extra" for one in self.desk.queue(reviewer)):
            return pages.notice(words(language)["agreement_later"], language)
        return pages.agreement_page(agreement_rows(self.desk, language), language)

    # Showing

    def _who(self, request: gr.Request) -> tuple[Reviewer, str]:
        user = self.door.users.find(request.username or "")
        if user is None:
            raise BenchwrightError("you are not signed in.", hint="Reload the page.")
        return user.reviewer, language_of(request)

    def _show(
        self, reviewer: Reviewer, language: str, queue: Sequence[Standing], there: Standing | None, before: str
    ) -> dict[Any, Any]:
        parts = self.parts
        made = progress(queue, reviewer.name)
        if there is None:
            text = words(language)["nothing" if not queue else "all_done"]
            head = pages.header(None, made, 0, len(queue), self.desk.run.name, language, "")
            return {parts["header"]: head, parts["notice"]: pages.notice(text, language)}
        question = self.desk.question(there.item_id, there.revision)
        author = self.desk.author(there.item_id, there.revision)
        shown = {
            parts["place"]: _PLACE.format(item_id=there.item_id, revision=there.revision),
            parts["header"]: pages.header(
                there, made, queue.index(there) + 1, len(queue), self.desk.run.name, language, author
            ),
            parts["question"]: self._question(there, language, show_key=False),
            parts["sheet"]: pages.score_sheet(self.desk.sheet, there, language),
            parts["after"]: "",
            parts["notice"]: "",
            parts["show_key"]: _button(words(language)["show_key"], "k"),
            parts["show_after"]: _button(words(language)["show_after"], "v"),
            parts["form"]: gr.update(visible=False),
        }
        if not self._same_viewer(before, question):
            seen = self.desk.watched(reviewer, question.group_id)
            shown[parts["viewer"]] = pages.viewer(self.desk.material, question, seen, language)
        return shown

    def _same_viewer(self, before: str, question: Question) -> bool:
        """Whether the videos that are shown stay: they keep their place when one goes on within a group."""
        item = self.desk.material.items.get(before)
        return item is not None and (item.question.group_id, item.question.sources) == (
            question.group_id,
            question.sources,
        )

    def _question(self, standing: Standing, language: str, *, show_key: bool) -> str:
        question = self.desk.question(standing.item_id, standing.revision)
        return pages.question(self.desk.material, question, standing, language, show_key=show_key)

    def _labels(self, language: str) -> dict[Any, Any]:
        texts, parts = words(language), self.parts
        keys = {"previous": "p", "next": "n", "next_open": "o", "edit": "e"}
        labels = {parts[name]: _button(texts[name], key) for name, key in keys.items()}
        for name, text in (("tab_review", "review"), ("tab_progress", "progress"), ("tab_help", "help")):
            labels[parts[name]] = gr.update(label=texts[text])
        for name in ("stem", "key", "evidence", "support", "reason"):
            labels[parts[name]] = gr.update(label=texts[name])
        for letter in self.letters:
            labels[parts[f"option_{letter}"]] = gr.update(label=f"{texts['option']} {letter}")
        labels[parts["close_edit"]] = gr.update(value=texts["close_edit"])
        labels[parts["save_edit"]] = gr.update(value=texts["save_edit"])
        labels[parts["help"]] = pages.help_page(self.desk.sheet, language)
        return labels

    def _filled(self, question: Question, language: str) -> dict[Any, Any]:
        form, parts = form_of(question), self.parts
        options = {
            parts[f"option_{letter}"]: gr.update(value=form.options.get(letter, ""), visible=letter in form.options)
            for letter in self.letters
        }
        return {
            **options,
            parts["stem"]: form.stem,
            parts["key"]: gr.update(choices=list(form.options), value=form.key),
            parts["evidence"]: form.evidence,
            parts["support"]: gr.update(choices=sorted(question.sources), value=list(form.support)),
            parts["reason"]: "",
        }

    def _form(self, standing: Standing, fields: Sequence[Any]) -> EditForm:
        stem, key, evidence, support, *options = fields
        known = self.desk.question(standing.item_id, standing.revision).options
        texts = {letter: text or "" for letter, text in zip(self.letters, options, strict=True) if letter in known}
        return EditForm(
            stem=stem or "", options=texts, key=key or "", evidence=evidence or "", support=tuple(support or ())
        )


def _step(queue: Sequence[Standing], item_id: str, step: str) -> Standing | None:
    """The item before or after another, or the next that is open (from there on, then from the start)."""
    if not queue:
        return None
    ids = [one.item_id for one in queue]
    here = ids.index(item_id) if item_id in ids else -1
    if step == "previous":
        return queue[max(0, here - 1)]
    if step == "next":
        return queue[min(len(queue) - 1, here + 1)]
    later = [one for one in (*queue[here + 1 :], *queue[: here + 1]) if one.open and one.role != "extra"]
    return later[0] if later else queue[max(0, here)]


def _item_of(place: str) -> str:
    return (place or "").rpartition("@")[0] or (place or "")


def _revision_of(place: str) -> int:
    revision = (place or "").rpartition("@")[2]
    return int(revision) if revision.isdigit() else 0


def _button(text: str, key: str) -> Any:
    return gr.update(value=f"{text} ({key})")


def _theme() -> Any:
    """Gradio's base look with the fonts of the system: nothing is fetched from outside."""
    fonts = ["system-ui", "-apple-system", "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "sans-serif"]
    return gr.themes.Base(font=fonts, font_mono=["ui-monospace", "monospace"])
