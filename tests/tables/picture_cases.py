"""Pictures that are quickly made: discs and stripes, in files and folders."""

import numpy as np
import PIL.Image as image


def drawn(kind, random, side=24):
    """A disc, or stripes up and down, in colours of its own, as an array of bytes."""
    down, across = np.mgrid[:side, :side]
    if kind == "disc":
        place = random.uniform(side / 3, 2 * side / 3, 2)
        shape = np.hypot(down - place[0], across - place[1]) < side / 4
    else:
        shape = (across + random.integers(6)) % 6 < 3
    colours = random.choice([random.integers(0, 90, (2, 3)), random.integers(0, 90, (2, 3))])
    colours[1] += 140
    return np.where(shape[..., None], *colours[::-1]).astype(np.uint8)


def picture_folder(folder, n=20, seed=0):
    """Folders disc and stripes with so many pictures each."""
    random = np.random.default_rng(seed)
    for kind in ("disc", "stripes"):
        (folder / kind).mkdir(parents=True)
        for number in range(n):
            picture = image.fromarray(drawn(kind, random))
            picture.save(folder / kind / f"{kind[0]}{number}.png")
    return folder
