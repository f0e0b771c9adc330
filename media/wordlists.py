"""Closed word lists of English and Chinese that the text tools need: function words, number words, calendar words."""

from media.units import MONTHS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_FUNCTION_WORDS = _words("""
    a an the and or but nor so yet of in on at to by for from with without within as is are was were be been being am
    do does did done has have had having will would shall should can could may might must not no it its he him his she
    her they them their we us our you your i me my this that these those there here then than which who whom whose what
    when where why how all any both each few more most other some such only own same too very just also into onto about
    over under after before between during while whereas although though because if until up down out off again once
""")
CHINESE_FUNCTION_WORDS = _words("""
    的 了 在 是 和 与 也 就 都 而 及 或 着 过 把 被 让 给 对 从 到 向 于 以 为 之 其 这 那 有 我 你 他 她 它 们
    我们 你们 他们 她们 这个 那个 一个 这棵 已经 还 又 很 最 更 上 下 里 中 来 去 说 吗 呢 吧 啊
""")
CHINESE_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟"
    "谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤习欧"
)
"""The most frequent first characters of Chinese personal names."""
NUMBER_WORDS = _words("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
""")
CALENDAR_WORDS = frozenset(MONTHS) | _words("monday tuesday wednesday thursday friday saturday sunday")
"""Capitalised in English, yet no names."""

NEVER_COUNTED = _words("""
    a an the and or but of in on at to by for from with than as is are was were be been has have had will would can it
    its they them this that these those now today tonight later ago before after since until into onto over under left
    right up down out not no when while where which who times
""")
"""Words that may follow a number without being what it counts: ``the 95 million back`` aside, ``40 are waiting``."""

BEFORE_NUMBERS = _words("""
    about around over nearly almost only all some at in on by from to of the a an and but or for with just more less
    least most than up under until since after before between another every each these those when while if as that
    there here how what police rescuers officials it he she they we you i
""")
"""Words that may stand capitalised before a number, at the start of a sentence, without naming a thing with it."""
