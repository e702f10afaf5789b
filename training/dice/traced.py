"""Path-trace throws of dice: `python -m training.dice.traced FOLDER --seed 1 --count 500`.

Writes `SEED_NUMBER.jpg` and `.json` for each scene: the dice with their top faces, places and visible shares. Needs
bpy (Blender as a module), numpy and OpenCV; bpy brings the panoramas that light half of the scenes. One core renders
about ten scenes a minute.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import time
from pathlib import Path
from typing import Any

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"

import numpy as np

from training.dice.bodies import BodyStyle, mesh, random_style
from training.dice.layouts import SETTINGS, Placed, Setting, throw
from training.dice.surfaces import cover

bpy: Any = importlib.import_module("bpy")
cv2: Any = importlib.import_module("cv2")
Array = np.ndarray
SIZE_PX = 320
_LIT_PX = (22, 42)  # side of a die in the picture
_SAMPLES = (6, 11)
_FULL_VIEW = 0.35  # half the part of a face that must be visible

BODIES = (
    (0.85, 0.85, 0.82), (0.8, 0.75, 0.6), (0.02, 0.02, 0.02), (0.55, 0.02, 0.02), (0.02, 0.05, 0.4), (0.02, 0.25, 0.06),
    (0.8, 0.55, 0.02), (0.75, 0.2, 0.02), (0.25, 0.03, 0.35), (0.8, 0.25, 0.4), (0.2, 0.2, 0.22), (0.1, 0.45, 0.6),
)  # fmt: skip
INKS = ((0.01, 0.01, 0.01), (0.85, 0.85, 0.85), (0.6, 0.4, 0.05), (0.5, 0.01, 0.01), (0.02, 0.04, 0.3))


def main() -> None:
    """Render scenes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--setting", choices=SETTINGS, default="any")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.count):
        name = options.folder / f"{options.seed}_{number:04d}"
        if name.with_suffix(".json").exists():
            continue
        began = time.perf_counter()
        rng = np.random.default_rng([options.seed, number])
        image, dice = render(rng, name.with_suffix(".exr"), SETTINGS[options.setting])
        cv2.imwrite(str(name.with_suffix(".jpg")), image, [cv2.IMWRITE_JPEG_QUALITY, 97])
        name.with_suffix(".json").write_text(json.dumps({"dice": dice}), "utf-8")
        name.with_suffix(".exr").unlink()
        print(f"{name.name}: {len(dice)} dice, {time.perf_counter() - began:.1f} s", flush=True)


def render(rng: np.random.Generator, exr: Path, setting: Setting) -> tuple[Array, list[dict[str, Any]]]:
    """One scene: the picture (BGR uint8) and its dice."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    size_px = round(SIZE_PX * setting.zoom)
    _settings(scene, rng, exr, size_px)
    fudge = bool(rng.random() < setting.fudge)
    side_px = math.exp(rng.uniform(*np.log(_LIT_PX)))
    wide = size_px / side_px / 2  # half the width of the view, in sides
    half = (0.8 * wide, 0.8 * wide)
    tray = rng.random() < setting.tray
    if tray:
        half = tuple(np.maximum(rng.uniform(0.45, 0.8, 2) * wide, 1.8))
    placed = throw(rng, int(rng.integers(setting.count[0], setting.count[1] + 1)), (half[0] - 0.6, half[1] - 0.6))
    styles = [random_style(rng, fudge) for _ in range(rng.integers(1, 4))]
    colours = [_plastic(rng, setting.white) for _ in range(rng.integers(1, 4))]
    which = [int(rng.integers(len(styles))) for _ in placed]
    meshes = [_mesh(style) for style in styles]
    for die, k in zip(placed, which, strict=True):
        _object("die", meshes[k], colours[int(rng.integers(len(colours)))], die)
    cover(rng, bpy, half if tray else None, wide)
    camera = _camera(rng, scene, wide, setting)
    _lights(rng, scene, wide, camera, setting.white)
    _distractors(rng, half, placed)
    bpy.ops.render.render(write_still=True)
    linear = cv2.imread(str(exr), cv2.IMREAD_ANYCOLOR | cv2.IMREAD_ANYDEPTH)
    return _exposed(rng, linear), _truth(scene, camera, placed, [styles[k] for k in which])


def _settings(scene: Any, rng: np.random.Generator, exr: Path, size_px: int) -> None:
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = int(rng.integers(*_SAMPLES))
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.use_denoising = True
    scene.cycles.max_bounces = 6
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.seed = int(rng.integers(1_000_000))
    scene.render.threads_mode = "FIXED"
    scene.render.threads = 1
    scene.render.resolution_x = scene.render.resolution_y = size_px
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.filepath = str(exr)
    scene.view_settings.view_transform = "Raw"


def _mesh(style: BodyStyle) -> Any:
    vertices, quads, ink = mesh(style)
    made = bpy.data.meshes.new("die")
    made.vertices.add(len(vertices))
    made.vertices.foreach_set("co", vertices.astype(np.float32).ravel())
    made.loops.add(quads.size)
    made.loops.foreach_set("vertex_index", quads.ravel())
    made.polygons.add(len(quads))
    made.polygons.foreach_set("loop_start", np.arange(0, quads.size, 4, dtype=np.int32))
    made.polygons.foreach_set("use_smooth", np.ones(len(quads), np.bool_))
    made.attributes.new("ink", "FLOAT", "POINT").data.foreach_set("value", ink.astype(np.float32))
    made.materials.append(None)
    made.update(calc_edges=True)
    return made


def _object(name: str, data: Any, material: Any, placed: Placed) -> Any:
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    made.material_slots[0].link = "OBJECT"
    made.material_slots[0].material = material
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = placed.rotation, placed.middle
    made.matrix_world = [tuple(row) for row in matrix.T]
    return made


def _varied(rng: np.random.Generator, colour: tuple[float, float, float], by: float = 0.25) -> tuple[float, ...]:
    varied = np.clip(np.array(colour) * np.exp(rng.normal(0, by)) + rng.normal(0, 0.02, 3), 0.004, 0.92)
    return (*map(float, varied), 1.0)


def _plastic(rng: np.random.Generator, white: bool) -> Any:
    """A material: one opaque, marbled or translucent plastic with inked marks."""
    body = BODIES[int(rng.integers(2)) if rng.random() < 0.35 or white else int(rng.integers(len(BODIES)))]
    base = _varied(rng, body)
    inks = [ink for ink in INKS[:2] * 3 + INKS if abs(sum(ink) - sum(base[:3])) > 0.55 + 0.5 * (sum(base[:3]) > 1.2)]
    ink = _varied(rng, inks[int(rng.integers(len(inks)))] if inks and not white else INKS[0], 0.1)
    material = bpy.data.materials.new("plastic")
    material.use_nodes = True
    tree = material.node_tree
    plastic, out = tree.nodes["Principled BSDF"], tree.nodes["Material Output"]
    plastic.inputs["Base Color"].default_value = base
    plastic.inputs["Roughness"].default_value = float(rng.choice([rng.uniform(0.03, 0.2), rng.uniform(0.2, 0.6)]))
    plastic.inputs["Coat Weight"].default_value = float(rng.choice([0.0, rng.uniform(0, 1)]))
    kind = 1.0 if white else rng.random()
    if kind < 0.2:
        plastic.inputs["Transmission Weight"].default_value = float(rng.uniform(0.7, 1.0))
        plastic.inputs["IOR"].default_value = 1.45
    elif kind < 0.35:
        noise = tree.nodes.new("ShaderNodeTexNoise")
        noise.inputs["Scale"].default_value = float(rng.uniform(1, 8))
        noise.inputs["Distortion"].default_value = float(rng.uniform(0, 4))
        mix = tree.nodes.new("ShaderNodeMix")
        mix.data_type = "RGBA"
        mix.inputs[6].default_value, mix.inputs[7].default_value = base, _varied(rng, body, 0.7)
        tree.links.new(noise.outputs[0], mix.inputs[0])
        tree.links.new(mix.outputs[2], plastic.inputs["Base Color"])
    paint = tree.nodes.new("ShaderNodeBsdfPrincipled")
    paint.inputs["Base Color"].default_value = ink
    paint.inputs["Roughness"].default_value = float(rng.choice([rng.uniform(0.05, 0.25), rng.uniform(0.3, 0.9)]))
    paint.inputs["Metallic"].default_value = float(rng.random() < 0.08)
    distance = tree.nodes.new("ShaderNodeAttribute")
    distance.attribute_name = "ink"
    inside = tree.nodes.new("ShaderNodeMapRange")
    inside.inputs["From Min"].default_value, inside.inputs["From Max"].default_value = 0.008, -0.008
    shader = tree.nodes.new("ShaderNodeMixShader")
    tree.links.new(distance.outputs["Fac"], inside.inputs["Value"])
    tree.links.new(inside.outputs["Result"], shader.inputs[0])
    tree.links.new(plastic.outputs[0], shader.inputs[1])
    tree.links.new(paint.outputs[0], shader.inputs[2])
    tree.links.new(shader.outputs[0], out.inputs["Surface"])
    return material


def _camera(rng: np.random.Generator, scene: Any, wide: float, setting: Setting) -> Any:
    """A camera that sees `wide` sides to each side of the middle."""
    tilt, turn = setting.tilt(rng), rng.uniform(0, 2 * math.pi)
    distance = rng.uniform(2.0, 5.0) * wide
    ahead = np.array([math.sin(tilt) * math.sin(turn), -math.sin(tilt) * math.cos(turn), math.cos(tilt)])
    target = np.append(rng.uniform(-0.15, 0.15, 2) * wide, 0.5)
    roll = float(rng.uniform(0, 2 * math.pi)) if tilt < 0.2 else float(rng.normal(0, 0.15))
    data = bpy.data.cameras.new("camera")
    data.angle = 2 * math.atan(wide / distance)
    data.clip_end = 1000.0
    camera = bpy.data.objects.new("camera", data)
    scene.collection.objects.link(camera)
    right = np.array([math.cos(turn), math.sin(turn), 0.0])
    up = np.cross(ahead, right)
    c, s = math.cos(roll), math.sin(roll)
    axes = np.stack([c * right + s * up, c * up - s * right, ahead], axis=1)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, target + distance * ahead
    camera.matrix_world = [tuple(row) for row in matrix.T]
    scene.camera = camera
    return camera


def _lamp(scene: Any, kind: str, at: Array, energy: float, size: tuple[float, float], to: Array) -> None:
    data = bpy.data.lights.new("lamp", kind)
    data.energy = energy
    if kind == "AREA":
        data.shape, data.size, data.size_y = "RECTANGLE", *size
    else:
        data.shadow_soft_size = size[0]
    lamp = bpy.data.objects.new("lamp", data)
    scene.collection.objects.link(lamp)
    z = (at - to) / np.linalg.norm(at - to)
    x = np.cross([0.1, 0.9, 0.3], z)
    x /= np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.stack([x, np.cross(z, x), z], axis=1), at
    lamp.matrix_world = [tuple(row) for row in matrix.T]


def _above(rng: np.random.Generator, near: float, far: float) -> Array:
    """A point above the table, at least 25 degrees up."""
    up, turn = rng.uniform(0.4, 1.0), rng.uniform(0, 2 * math.pi)
    flat = math.sqrt(1 - up * up)
    return np.array([flat * math.cos(turn), flat * math.sin(turn), up]) * rng.uniform(near, far)


def _lights(rng: np.random.Generator, scene: Any, wide: float, camera: Any, strips: bool) -> None:
    """Panoramas, lamps, LED strips, windows or a flash."""
    middle = np.array([0.0, 0.0, 0.5])
    world = bpy.data.worlds.new("world")
    scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = _varied(rng, (0.6, 0.6, 0.6), 0.3)
    background.inputs["Strength"].default_value = float(rng.uniform(0.02, 0.5))
    if rng.random() < 0.5:
        _panorama(rng, world.node_tree, background)
    for _ in range(rng.integers(0, 3)):
        at = _above(rng, 2 * wide, 5 * wide)
        size = float(rng.uniform(0.05, 0.5) * wide)
        _lamp(scene, "POINT", at, float(rng.uniform(8, 30)) * float(at @ at), (size, size), middle)
    kind = rng.random()
    if kind < 0.35 or strips:  # strips, some with single LEDs
        for _ in range(rng.integers(1, 5)):
            at = _above(rng, 1.0 * wide, 3 * wide)
            length, thin = float(rng.uniform(0.5, 2.5) * wide), float(rng.uniform(0.02, 0.1) * wide)
            energy = float(rng.uniform(6, 25)) * float(at @ at)
            points = int(rng.integers(8, 24)) if rng.random() < 0.4 else 1
            along = np.array([*rng.normal(size=2), 0.0])
            along *= length / np.linalg.norm(along) / points
            for k in range(points):
                size = (length, thin) if points == 1 else (thin, thin)
                _lamp(scene, "AREA", at + (k - points / 2) * along, energy / points, size, middle)
    elif kind < 0.6:  # a window of four panes
        at = _above(rng, 2 * wide, 4 * wide)
        pane = float(rng.uniform(0.3, 1.2) * wide)
        for x, z in ((0, 0), (1.1, 0), (0, 1.1), (1.1, 1.1)):
            there = at + pane * np.array([x, 0.0, z])
            _lamp(scene, "AREA", there, float(rng.uniform(4, 10)) * float(at @ at), (pane, pane), middle)
    elif kind < 0.7:
        eye = np.array(camera.matrix_world.translation)
        _lamp(
            scene, "POINT", eye + rng.normal(0, 0.3, 3), float(rng.uniform(10, 40)) * float(eye @ eye), (0.4, 0), middle
        )


def _panorama(rng: np.random.Generator, tree: Any, background: Any) -> None:
    found = sorted(Path(bpy.utils.resource_path("LOCAL")).glob("datafiles/studiolights/world/*.exr"))
    image = bpy.data.images.load(str(found[int(rng.integers(len(found)))]))
    texture = tree.nodes.new("ShaderNodeTexEnvironment")
    texture.image = image
    mapping, place = tree.nodes.new("ShaderNodeMapping"), tree.nodes.new("ShaderNodeTexCoord")
    mapping.inputs["Rotation"].default_value = (0.0, 0.0, float(rng.uniform(0, 6.3)))
    tree.links.new(place.outputs["Generated"], mapping.inputs[0])
    tree.links.new(mapping.outputs[0], texture.inputs[0])
    tree.links.new(texture.outputs[0], background.inputs["Color"])
    background.inputs["Strength"].default_value = float(rng.uniform(0.3, 1.2))


def _distractors(rng: np.random.Generator, half: tuple[float, float], placed: list[Placed]) -> None:
    """Coins, pens, marbles and plain blocks between the dice."""
    if rng.random() < 0.55:
        return
    for _ in range(rng.integers(1, 6)):
        at = rng.uniform(-1, 1, 2) * half
        if any(np.linalg.norm(at - die.middle[:2]) < 1.6 for die in placed):
            continue
        kind = rng.integers(4)
        if kind == 0:
            bpy.ops.mesh.primitive_cylinder_add(radius=float(rng.uniform(0.1, 0.7)), depth=0.1, location=(*at, 0.05))
        elif kind == 1:
            turn = (math.pi / 2, 0.0, float(rng.uniform(0, 6)))
            bpy.ops.mesh.primitive_cylinder_add(radius=0.2, depth=6.0, location=(*at, 0.2), rotation=turn)
        elif kind == 2:
            radius = float(rng.uniform(0.1, 0.5))
            bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, location=(*at, radius))
        else:
            turn = (0.0, 0.0, float(rng.uniform(0, 6)))
            bpy.ops.mesh.primitive_cube_add(size=1, location=(*at, 0.2), rotation=turn)
            bpy.context.object.scale = (*map(float, rng.uniform(0.3, 2.0, 2)), 0.4)
        material = bpy.data.materials.new("thing")
        material.use_nodes = True
        shader = material.node_tree.nodes["Principled BSDF"]
        shader.inputs["Base Color"].default_value = _varied(rng, BODIES[int(rng.integers(len(BODIES)))])
        shader.inputs["Metallic"].default_value = float(rng.random() < 0.3)
        shader.inputs["Roughness"].default_value = float(rng.uniform(0.1, 0.8))
        bpy.context.object.data.materials.append(material)


def _exposed(rng: np.random.Generator, linear: Array) -> Array:
    """As a camera would expose and develop it."""
    linear = np.nan_to_num(np.maximum(linear, 0.0))
    white = np.exp(rng.normal(0, 0.08, 3))
    usual, bright = np.percentile(linear.mean(axis=2), (50, 97.5)) + 1e-4
    developed = linear * white * min(rng.uniform(0.1, 0.6) / usual, rng.uniform(0.55, 1.25) / bright)
    if rng.random() < 0.6:  # highlights roll off
        developed = developed * (1 + developed / 6) / (1 + developed * rng.uniform(0.2, 0.8))
    return np.uint8(255 * np.clip(developed, 0, 1) ** (1 / rng.uniform(1.9, 2.4)))


def _truth(scene: Any, camera: Any, placed: list[Placed], styles: list[BodyStyle]) -> list[dict[str, Any]]:
    """Every die's top face and the faces on its sides that are seen."""
    world = np.array(camera.matrix_world)
    eye, axes = world[:3, 3], world[:3, :3]
    size_px = scene.render.resolution_x
    focal = size_px / 2 / math.tan(camera.data.angle / 2)

    def pixel(point: Array) -> Array:
        local = axes.T @ (point - eye)
        return (size_px - 1) / 2 + focal * np.array([local[0], -local[1]]) / -local[2]

    graph = bpy.context.evaluated_depsgraph_get()
    dice = []
    for die, style in zip(placed, styles, strict=True):
        normals = [die.rotation[:, k // 2] * (1 - 2 * (k % 2)) for k in range(6)]
        top = int(np.argmax([normal[2] for normal in normals]))
        sides = []
        for k, normal in enumerate(normals):
            centre = die.middle + 0.5 * normal
            if k != top and (eye - centre) @ normal > 0.15 * np.linalg.norm(eye - centre):
                sides.append([*map(float, pixel(centre)), style.faces[k]])
        centre = die.middle + 0.5 * normals[top]
        first, second = die.rotation[:, (top // 2 + 1) % 3], die.rotation[:, (top // 2 + 2) % 3]
        at = pixel(centre)
        half = [(pixel(centre + 0.1 * axis) - pixel(centre - 0.1 * axis)) * 2.5 for axis in (first, second)]
        seen = [
            _visible(scene, graph, eye, centre + a * first + b * second)
            for a in np.linspace(-_FULL_VIEW, _FULL_VIEW, 5)
            for b in np.linspace(-_FULL_VIEW, _FULL_VIEW, 5)
        ]
        dice.append({
            "face": style.faces[top], "fudge": style.fudge, "centre": at.tolist(),
            "half": [half[0].tolist(), half[1].tolist()], "lean": math.degrees(math.acos(min(1.0, normals[top][2]))),
            "visible": float(np.mean(seen)), "sides": sides,
        })  # fmt: skip
    return dice


def _visible(scene: Any, graph: Any, eye: Array, point: Array) -> bool:
    away = np.linalg.norm(point - eye)
    hit, where, *_ = scene.ray_cast(graph, eye.tolist(), ((point - eye) / away).tolist())
    return not hit or float(np.linalg.norm(np.array(where) - eye)) > away - 0.12


if __name__ == "__main__":
    main()
