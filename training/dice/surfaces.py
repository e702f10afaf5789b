"""What lies under path-traced dice: felt, wood, leather, cloth, paper, printed patterns, and trays with rims."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Colour = tuple[float, float, float]
GROUNDS: tuple[Colour, ...] = (
    (0.03, 0.15, 0.05), (0.3, 0.17, 0.08), (0.12, 0.05, 0.02), (0.02, 0.02, 0.025), (0.7, 0.7, 0.68), (0.3, 0.02, 0.03),
    (0.02, 0.05, 0.2), (0.45, 0.35, 0.22), (0.15, 0.15, 0.16), (0.5, 0.45, 0.4), (0.08, 0.02, 0.12), (0.55, 0.33, 0.15),
)  # fmt: skip
KINDS = ("plain", "felt", "wood", "leather", "cloth", "spots", "cells", "marble")


def cover(rng: np.random.Generator, bpy: Any, tray: tuple[float, float] | None, wide: float) -> None:
    """Lay a table with z = 0, and if given, a tray of half this size around the dice."""
    material = _ground(rng, bpy)
    bpy.ops.mesh.primitive_plane_add(size=40 * wide, location=(0.0, 0.0, 0.0))
    if tray is None:
        bpy.context.object.data.materials.append(material)
        return
    bpy.context.object.location = (0.0, 0.0, -0.1)
    bpy.context.object.data.materials.append(_ground(rng, bpy))
    bpy.ops.mesh.primitive_plane_add(size=1, location=(0.0, 0.0, 0.0))
    bpy.context.object.scale = (2 * tray[0], 2 * tray[1], 1.0)
    bpy.context.object.data.materials.append(material)
    rim = material if rng.random() < 0.4 else _ground(rng, bpy)
    height, thick = float(rng.uniform(0.4, 2.5)), float(rng.uniform(0.1, 0.8))
    for side in range(4):
        along = tray[0] if side % 2 else tray[1]
        angle = side * math.pi / 2
        away = (tray[1] if side % 2 else tray[0]) + thick / 2
        at = (away * math.cos(angle), away * math.sin(angle), height / 2 - 0.1)
        bpy.ops.mesh.primitive_cube_add(size=1, location=at, rotation=(0.0, 0.0, angle))
        bpy.context.object.scale = (thick, 2 * along + 2 * thick, height)
        bpy.context.object.data.materials.append(rim)


def _tone(rng: np.random.Generator, colour: Colour) -> tuple[float, ...]:
    tone = np.clip(np.array(colour) * np.exp(rng.normal(0, 0.3)) * np.exp(rng.normal(0, 0.12, 3)), 0.004, 0.9)
    return (*map(float, tone), 1.0)


def _ground(rng: np.random.Generator, bpy: Any) -> Any:
    material = bpy.data.materials.new("ground")
    material.use_nodes = True
    tree = material.node_tree
    shader = tree.nodes["Principled BSDF"]
    kind = KINDS[int(rng.integers(len(KINDS)))]
    colour = GROUNDS[int(rng.integers(len(GROUNDS)))]
    shader.inputs["Roughness"].default_value = float(rng.uniform(0.15, 1.0) if kind not in ("felt", "cloth") else 1.0)
    place = tree.nodes.new("ShaderNodeTexCoord")
    mapping = tree.nodes.new("ShaderNodeMapping")
    mapping.inputs["Rotation"].default_value = (0.0, 0.0, float(rng.uniform(0, 6.3)))
    mapping.inputs["Location"].default_value = tuple(map(float, rng.uniform(-50, 50, 3)))
    tree.links.new(place.outputs["Object"], mapping.inputs[0])
    texture, value = _texture(rng, tree, kind)
    tree.links.new(mapping.outputs[0], texture.inputs["Vector"])
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    contrast = {"plain": 0.1, "felt": 0.35, "wood": 0.6, "leather": 0.4, "marble": 0.8}.get(kind, 0.9)
    other = colour if kind in ("felt", "wood", "leather", "plain") else GROUNDS[int(rng.integers(len(GROUNDS)))]
    ends = (
        _tone(rng, colour),
        tuple((1 - contrast) * a + contrast * b for a, b in zip(_tone(rng, colour), _tone(rng, other), strict=True)),
    )
    for element, end in zip(ramp.color_ramp.elements, ends, strict=True):
        element.color = end
    if kind in ("spots", "cells", "cloth"):
        middle = float(rng.uniform(0.15, 0.6))
        ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = middle, middle + 0.03
    tree.links.new(value, ramp.inputs[0])
    tree.links.new(ramp.outputs[0], shader.inputs["Base Color"])
    if kind in ("felt", "wood", "leather", "cloth"):
        bump = tree.nodes.new("ShaderNodeBump")
        bump.inputs["Strength"].default_value = float(rng.uniform(0.05, 0.6))
        bump.inputs["Distance"].default_value = 0.05
        tree.links.new(value, bump.inputs["Height"])
        tree.links.new(bump.outputs[0], shader.inputs["Normal"])
    return material


def _texture(rng: np.random.Generator, tree: Any, kind: str) -> tuple[Any, Any]:
    """A texture node and its output."""
    if kind in ("wood", "cloth"):
        node = tree.nodes.new("ShaderNodeTexWave")
        node.inputs["Scale"].default_value = float(rng.uniform(0.1, 2.0) if kind == "wood" else rng.uniform(0.3, 8.0))
        node.inputs["Distortion"].default_value = float(rng.uniform(2, 12) if kind == "wood" else rng.uniform(0, 2))
        node.inputs["Detail"].default_value = 4.0
        return node, node.outputs[1]
    if kind in ("leather", "spots", "cells"):
        node = tree.nodes.new("ShaderNodeTexVoronoi")
        node.feature = "DISTANCE_TO_EDGE" if kind == "cells" else "F1"
        node.inputs["Scale"].default_value = float(
            rng.uniform(4, 15) if kind == "leather" else math.exp(rng.uniform(-1.5, 1.6))
        )
        return node, node.outputs["Distance"]
    node = tree.nodes.new("ShaderNodeTexNoise")
    low, high = {"felt": (15, 60), "marble": (0.2, 2)}.get(kind, (0.05, 0.5))
    node.inputs["Scale"].default_value = float(rng.uniform(low, high))
    node.inputs["Detail"].default_value = 8.0
    node.inputs["Distortion"].default_value = float(rng.uniform(0, 3) if kind == "marble" else 0.0)
    return node, node.outputs[0]
