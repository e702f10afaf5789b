"""Texts for a voice: numbers and units as words."""

from __future__ import annotations

import re

from ui.formatting import sentence
from ui.translation import mark_all_for_translation, mark_for_translation, tr

_NUMBERS = mark_all_for_translation(
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)
_FRACTIONS = {
    "1/2": mark_for_translation("one half"),
    "1/4": mark_for_translation("one quarter"),
    "3/4": mark_for_translation("three quarters"),
    "1/8": mark_for_translation("one eighth"),
    "3/8": mark_for_translation("three eighths"),
}
_ERROR = re.compile(r" ?± ?[\d.]+")
_RULE_IDS = re.compile(r" ?\((?:[A-Z]{1,3}-\w+(?:, )?)+\)")
_SHOUTED = re.compile(r"\b[^\W\d_]{2,}\b")
_FRACTION = re.compile(r"(?<![\d/])\d/\d(?![\d/])")
_MOST_SENTENCES = 2
"""A longer text would still be spoken when the game has gone on."""


def number_words(number: int) -> str:
    """A number as a word if it is small, such as "eleven" or "-2" as "minus two"; else its digits."""
    words = tr(_NUMBERS[abs(number)]) if abs(number) < len(_NUMBERS) else str(abs(number))
    return tr("minus {number}", number=words) if number < 0 else words


def for_ear(text: str) -> str:
    """Up to two sentences for a voice: whole numbers and units as words, without uncertainties and ids of rules."""
    words = _RULE_IDS.sub("", _ERROR.sub("", text))
    words = _FRACTION.sub(lambda found: tr(_FRACTIONS.get(found[0], found[0])), words)
    words = re.sub(rf"(\d+)(?:\.(\d))? ({tr('in')}|in|cm)\b(?! (?:sight|cover|the|a)\b)", _length_words, words)
    words = _SHOUTED.sub(lambda found: found[0].capitalize() if found[0].isupper() else found[0], words)
    words = words.replace(" · ", ", ").replace("\n", " ")
    return sentence(" ".join(re.split(r"(?<=[.!?]) +", words.strip())[:_MOST_SENTENCES]))


def _length_words(found: re.Match[str]) -> str:
    """A length such as "11.0 in" as "eleven inches", and "11.3 in" as "11.3 inches" with the language's point."""
    whole, tenths, unit = found.groups()
    if tenths in (None, "0"):
        if whole == "1":
            return tr("one centimetre") if unit == "cm" else tr("one inch")
        number = number_words(int(whole))
    else:
        number = tr("{whole}.{tenths}", whole=whole, tenths=tenths)
    return tr("{number} centimetres", number=number) if unit == "cm" else tr("{number} inches", number=number)
