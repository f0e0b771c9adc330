"""Pictures and texts as vectors of length 1, whose dot product says how alike two of them are (1.0: the same).

``ColourAndHash().encode([pixels])`` needs no model; `VisionEncoder` (extra ``[vision]``) and `SentenceEncoder` (extra
``[wikipedia]``) take any local model directory. Vectors of different encoders cannot be compared.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from media.decoding import Pixels
from records.errors import ConfigurationError

Vectors = NDArray[np.float32]
"""One row an input, each of length 1."""


class ImageEncoder(Protocol):
    """Turns pictures into vectors."""

    @property
    def name(self) -> str:
        """What a user should read about which encoder was used."""

    @property
    def same(self) -> float:
        """The cosine from which two pictures show the same thing, for this encoder."""

    def encode(self, pictures: Sequence[Pixels]) -> Vectors:
        """Vectors of pictures (height × width × 3, blue-green-red)."""


class TextEncoder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """The model's name; an index can be searched only with the model that built it."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts in any language that the model knows."""


_BINS = (12, 4, 4)
"""Of hue, saturation and value."""
_COLOUR_SHARE = 0.75
"""How much of the likeness is colour; the rest is the perceptual hash, which also tells layouts apart."""


class ColourAndHash:
    """What can be compared without a model: colours over the four quarters of a picture, and its perceptual hash.

    The dot product of two vectors is 0.75 × the Bhattacharyya coefficient of the colours + 0.25 × (1 - the share of
    differing hash bits × 2).
    """

    name = "colour and perceptual hash"
    same = 0.7
    """Of 51 shots of rendered news nine in ten come to 0.77 or more with themselves, to 0.66 or less with the next."""

    def encode(self, pictures: Sequence[Pixels]) -> Vectors:
        """See `ImageEncoder.encode`."""
        return np.stack([self._vector(pixels) for pixels in pictures])

    def _vector(self, pixels: Pixels) -> NDArray[np.float32]:
        from media.signals import look

        bits = np.where(look(pixels).hash_bits, 1.0, -1.0)
        shape = bits / np.sqrt(bits.size)
        return np.concatenate([np.sqrt(_COLOUR_SHARE) * _colours(pixels), np.sqrt(1 - _COLOUR_SHARE) * shape]).astype(
            np.float32
        )


def _colours(pixels: Pixels) -> NDArray[np.float64]:
    """Square roots of the colours' shares in each quarter of the picture; length 1."""
    import cv2

    small = cv2.cvtColor(cv2.resize(pixels, (64, 64), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2HSV)
    quarters = (small[top : top + 32, left : left + 32] for top in (0, 32) for left in (0, 32))
    counts = [cv2.calcHist([quarter], [0, 1, 2], None, list(_BINS), [0, 180, 0, 256, 0, 256]) for quarter in quarters]
    shares = np.concatenate([count.ravel() for count in counts]).astype(np.float64) / (64 * 64)
    return np.sqrt(shares)


class VisionEncoder:
    """A small image-embedding model from transformers (CLIP, SigLIP, DINOv2, ViT, …), by name or directory."""

    def __init__(self, model: str, same: float = 0.85, device: str = "cpu") -> None:
        """Loads the model. Raises ConfigurationError where the libraries or the model are missing."""
        self.name = model
        self.same = same
        self._device = device
        self._processor, self._model = _loaded_vision(model)
        self._model.to(device).eval()

    def encode(self, pictures: Sequence[Pixels]) -> Vectors:
        """See `ImageEncoder.encode`."""
        import torch

        images = [np.ascontiguousarray(pixels[:, :, ::-1]) for pixels in pictures]
        inputs = self._processor(images=images, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            found = self._features(inputs)
        return unit(found.float().cpu().numpy())

    def _features(self, inputs: Any) -> Any:
        """One row a picture: the model's own image features, else its pooled or first token's output."""
        features = getattr(self._model, "get_image_features", None)
        found = features(**inputs) if features else self._model(**inputs)
        if hasattr(found, "shape"):
            return found
        pooled = getattr(found, "pooler_output", None)
        return pooled if pooled is not None else found.last_hidden_state[:, 0]


def _loaded_vision(model: str) -> tuple[Any, Any]:
    try:
        from transformers import AutoImageProcessor, AutoModel
    except ImportError as error:
        raise ConfigurationError(
            "An image-embedding model needs transformers and torch.", hint="pip install 'benchwright[vision]'"
        ) from error
    try:
        return AutoImageProcessor.from_pretrained(model), AutoModel.from_pretrained(model)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"image model {model!r} cannot be loaded ({error}).", hint="Name a directory that holds it."
        ) from error


class SentenceEncoder:
    """A sentence-transformers model, by name or directory."""

    def __init__(self, model: str = "paraphrase-multilingual-MiniLM-L12-v2", device: str | None = None) -> None:
        """Loads the model. Raises ConfigurationError where the library or the model is missing."""
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ConfigurationError(
                "Embedding texts needs sentence-transformers.", hint="pip install 'benchwright[wikipedia]'"
            ) from error
        self.name = model
        try:
            self._model = SentenceTransformer(model, device=device)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"text model {model!r} cannot be loaded ({error}).",
                hint="Name a directory that holds a sentence-transformers model.",
            ) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `TextEncoder.encode`."""
        found = self._model.encode(list(texts), batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        return unit(np.asarray(found, dtype=np.float32))


def unit(vectors: NDArray[np.floating[Any]]) -> Vectors:
    """Rows scaled to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled
