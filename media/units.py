"""Names of units in English and Chinese, and one name for each: ``kilometres an hour`` is km/h.

Only spelling is unified (``metres`` and ``m``); nothing is converted between units.
"""

UNITS: dict[str, tuple[str, ...]] = {
    "km/h": (
        "km/h", "kph", "kmh", "kilometres an hour", "kilometers an hour", "kilometres per hour", "kilometers per hour",
        "公里每小时", "千米每小时",
    ),
    "m/s": ("m/s", "metres per second", "meters per second", "metres a second", "meters a second", "米每秒"),
    "mph": ("mph", "miles an hour", "miles per hour"),
    "m/s2": ("m/s²", "m/s2", "m/s^2"),
    "kn": ("knots", "knot", "kn", "节"),
    "km": ("km", "kilometres", "kilometers", "kilometre", "kilometer", "公里", "千米"),
    "m": ("m", "metres", "meters", "metre", "meter", "米"),
    "cm": ("cm", "centimetres", "centimeters", "centimetre", "centimeter", "厘米"),
    "mm": ("mm", "millimetres", "millimeters", "millimetre", "millimeter", "毫米"),
    "mi": ("miles", "mile", "英里"),
    "ft": ("feet", "foot", "ft", "英尺"),
    "kg": ("kg", "kilograms", "kilogram", "kilos", "kilo", "公斤", "千克"),
    "g": ("g", "grams", "gram", "克"),
    "t": ("tonnes", "tonne", "tons", "ton", "吨"),
    "jin": ("斤",),
    "l": ("litres", "liters", "litre", "liter", "升"),
    "ha": ("hectares", "hectare", "公顷"),
    "mu": ("亩",),
    "degree": ("degrees", "degree", "deg", "°", "度"),
    "°C": ("degrees celsius", "°c", "℃", "摄氏度"),
    "%": ("%", "percent", "per cent", "percentage points", "pct"),
    "times": ("times", "倍"),
    "s": ("seconds", "second", "s", "sec", "秒", "秒钟"),
    "min": ("minutes", "minute", "min", "mins", "分钟"),
    "h": ("hours", "hour", "h", "hrs", "小时", "个小时", "钟头"),
    "day": ("days", "day", "天"),
    "week": ("weeks", "week", "周", "星期", "个星期"),
    "month": ("months", "month", "个月"),
    "year": ("years", "year", "年"),
    "age": ("years old", "year-old", "岁"),
    "USD": ("dollars", "dollar", "us dollars", "usd", "美元"),
    "EUR": ("euros", "euro", "eur", "欧元"),
    "GBP": ("pounds", "pound", "gbp", "英镑"),
    "CNY": ("yuan", "rmb", "cny", "元", "块钱", "块"),
    "cent": ("cents", "cent", "角"),
    "hPa": ("hpa",),
    "MW": ("mw", "megawatts", "megawatt", "兆瓦"),
    "W": ("w", "watts", "watt", "瓦"),
    "V": ("v", "volts", "volt", "伏"),
    "kWh": ("kwh", "kilowatt-hours", "度电"),
}  # fmt: skip
"""Canonical unit → spellings, lower case."""

MONEY = frozenset({"USD", "EUR", "GBP", "CNY", "cent"})
CURRENCY_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY"}

SPELLINGS: dict[str, str] = {spelling: unit for unit, spellings in UNITS.items() for spelling in spellings}
"""Spelling → canonical unit."""

MEASURES = frozenset("位名人个只条艘辆家户所座间株棵颗片张本部台架次场届步层级道项件种杯碗口批代轮票起例分")
"""Chinese measure words, which name what is counted but are no unit."""

MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
