"""A battle from first to last: its journal, its history, and what players overrule."""
