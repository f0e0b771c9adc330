"""Grounding-DINO and SAM 2 by transformers (extra ``[vision]``): boxes by name, and masks by box.

``GroundingDino("IDEA-Research/grounding-dino-tiny").detect(pixels, ("red kite", "dog"))``; any local directory will do
as a model. Names must be English: the text encoder of Grounding-DINO knows no other language. Method:
VideoVista-CulturalLingo 3.2 and D.4 (Grounded-SAM-2).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from media.decoding import Pixels
from media.objects import box_from_pixels
from records.errors import ConfigurationError
from records.video import Box, Detection

_LEAST_SCORE = 0.1
"""Boxes below this are noise for any threshold that a user would choose."""
_MOST_TOKENS = 256
"""What Grounding-DINO reads of a prompt, names and full stops together."""


class GroundingDino:
    """Finds objects by English names."""

    def __init__(self, model: str = "IDEA-Research/grounding-dino-tiny", device: str = "cpu") -> None:
        """Loads the model. Raises ConfigurationError where the libraries or the model are missing."""
        self.name = model
        self._device = device
        self._processor, self._model = _loaded(model, "AutoProcessor", "AutoModelForZeroShotObjectDetection")
        self._model.to(device).eval()

    def detect(self, pixels: Pixels, names: Sequence[str]) -> tuple[Detection, ...]:
        """See `media.objects.Detector.detect`. Each box goes to the name with whose words it agrees most.

        Raises ValueError for a name without words, or for more names than the model can read at once.
        """
        import torch

        if not names:
            return ()
        inputs = self._processor(images=[_rgb(pixels)], text=[_prompt(names)], return_tensors="pt").to(self._device)
        groups = self._token_groups(inputs["input_ids"][0].tolist(), names)
        with torch.inference_mode():
            found = self._model(**inputs)
        chances = torch.sigmoid(found.logits[0].float()).cpu().numpy()
        return _detections(names, groups, chances, found.pred_boxes[0].float().cpu().numpy())

    def _token_groups(self, ids: list[int], names: Sequence[str]) -> list[list[int]]:
        """For each name the places of its tokens in the prompt."""
        tokenizer = self._processor.tokenizer
        stop = tokenizer.convert_tokens_to_ids(".")
        marks = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id}
        groups: list[list[int]] = [[]]
        for place, token in enumerate(ids):
            if token == stop:
                groups.append([])
            elif token not in marks:
                groups[-1].append(place)
        if len(groups) - 1 != len(names) or not all(groups[:-1]):
            raise ValueError(f"these names cannot be told apart by the detector: {', '.join(map(repr, names))}")
        if len(ids) > _MOST_TOKENS:
            raise ValueError(f"{len(names)} names are more than the detector reads at once; ask for fewer")
        return groups[:-1]


def _prompt(names: Sequence[str]) -> str:
    """Names as Grounding-DINO was trained on them: lower case, a full stop after each."""
    return " ".join(f"{' '.join(name.lower().replace('.', ' ').replace('?', ' ').split())} ." for name in names)


def _detections(
    names: Sequence[str], groups: list[list[int]], chances: NDArray[np.float32], boxes: NDArray[np.float32]
) -> tuple[Detection, ...]:
    """Detections from each box's agreement with each token (boxes × tokens) and its centre, width and height."""
    by_name = np.stack([chances[:, places].max(axis=1) for places in groups], axis=1)
    found = []
    for scores, (x, y, wide, high) in zip(by_name, boxes, strict=True):
        best = int(scores.argmax())
        if scores[best] < _LEAST_SCORE:
            continue
        try:
            box = box_from_pixels([x - wide / 2, y - high / 2, x + wide / 2, y + high / 2], 1, 1)
        except ValueError:
            continue
        found.append(Detection(name=names[best], box=box, score=float(scores[best])))
    return tuple(found)


class Sam2:
    """Finds the outline of what a box holds."""

    def __init__(self, model: str = "facebook/sam2.1-hiera-small", device: str = "cpu") -> None:
        """Loads the model. Raises ConfigurationError where the libraries or the model are missing."""
        self.name = model
        self._device = device
        self._processor, self._model = _loaded(model, "Sam2Processor", "Sam2Model")
        self._model.to(device).eval()

    def segment(self, pixels: Pixels, boxes: Sequence[Box]) -> tuple[NDArray[np.bool_], ...]:
        """See `media.objects.Segmenter.segment`."""
        import torch

        if not boxes:
            return ()
        height, width = pixels.shape[:2]
        corners = [[box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height] for box in boxes]
        inputs = self._processor(images=_rgb(pixels), input_boxes=[corners], return_tensors="pt").to(self._device)
        with torch.inference_mode():
            found = self._model(**inputs, multimask_output=False)
        masks = self._processor.post_process_masks(found.pred_masks.cpu(), inputs["original_sizes"].cpu())[0]
        return tuple(np.asarray(mask[0].numpy(), dtype=np.bool_) for mask in masks)


def _rgb(pixels: Pixels) -> Pixels:
    return np.ascontiguousarray(pixels[:, :, ::-1])


def _loaded(model: str, processor: str, kind: str) -> tuple[Any, Any]:
    try:
        import torch  # noqa: F401 -- transformers without it names classes that cannot be used
        import transformers
    except ImportError as error:
        raise ConfigurationError(
            "Finding objects needs torch and transformers.", hint="pip install 'benchwright[vision]'"
        ) from error
    try:
        return (
            getattr(transformers, processor).from_pretrained(model),
            getattr(transformers, kind).from_pretrained(model),
        )
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"vision model {model!r} cannot be loaded ({error}).", hint="Name a directory that holds it."
        ) from error
