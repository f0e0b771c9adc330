"""When two model strings name one model: ``canonical_name("openai/gpt-4o-2024-08-06")`` is that of ``GPT-4o``."""

import re

_DRESS = re.compile(
    r"(?:[-_:@](?:latest|preview|exp|experimental|instruct|chat|it|hf|gguf|awq|gptq|fp8|bf16|int4|int8|q\d[\w]*"
    r"|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|\d{6,8}|v\d+:\d+|free|online))+$"
)
_PROVIDER_VERSION = re.compile(r"-v\d+(?::\d+)?$")


def canonical_name(name: str) -> str:
    """A model string without provider, dates, quantization and the like: equal for two spellings of one model.

    ``openai/gpt-4o-2024-08-06`` and ``GPT-4o`` give ``gpt-4o``; ``hosted_vllm/Qwen/Qwen3-VL-30B-A3B-Instruct`` gives
    ``qwen3-vl-30b-a3b``. Sizes and variants that are other models (mini, flash, thinking) stay.
    """
    bare = name.strip().casefold()
    if not bare.startswith("offline/"):
        bare = bare.rpartition("/")[2]
    bare = re.sub(
        r"^(?:us|eu|apac|global)\.|^(?:anthropic|meta|amazon|mistral|google|openai|cohere|deepseek)\.", "", bare
    )
    bare = re.sub(r"^(?:anthropic|meta|amazon|mistral|google|openai|cohere|deepseek)\.", "", bare)
    bare = re.sub(r"[\s_]+", "-", bare)
    return _DRESS.sub("", _PROVIDER_VERSION.sub("", _DRESS.sub("", bare)))
