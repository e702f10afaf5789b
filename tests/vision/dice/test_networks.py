"""The networks' files."""

from importlib import resources


def test_the_networks_are_small() -> None:
    files = [file for file in resources.files("vision.dice").iterdir() if file.name.endswith(".onnx")]
    assert {file.name for file in files} == {"dice_finder.onnx", "face_reader.onnx"}
    assert sum(len(file.read_bytes()) for file in files) < 1_500_000
