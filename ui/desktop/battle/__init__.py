"""The Battle tab and its dialogs."""
