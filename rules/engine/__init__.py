"""What all rulesets share: typed rules, dice, facts, verdicts, and what a figure can do now."""
