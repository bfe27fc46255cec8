#!/usr/bin/env python3
"""Writes the handwritten digits that come with scikit-learn as IDX files, for run --data idx:FOLDER.

    digits_idx.py SOURCE FOLDER

SOURCE is a wheel of scikit-learn, or its file sklearn/datasets/data/digits.csv.gz. Each of the 1797
images of 8 x 8 pixels, from 0 to 16, becomes one of 28 x 28, from 0 to 255: every pixel three times
in both directions, and a margin of two. Every fifth image is held out (t10k-...).
"""
import gzip
import pathlib
import struct
import sys
import zipfile

MEMBER = "sklearn/datasets/data/digits.csv.gz"
SIDE, TIMES, MARGIN = 8, 3, 2
WIDTH = SIDE * TIMES + 2 * MARGIN


def rows_of(source):
    packed = zipfile.ZipFile(source).read(MEMBER) if source.endswith(".whl") else pathlib.Path(source).read_bytes()
    for line in gzip.decompress(packed).decode().split():
        yield [int(float(number)) for number in line.split(",")]


def enlarged(pixels):
    image = bytearray(WIDTH * WIDTH)
    for row in range(SIDE * TIMES):
        for column in range(SIDE * TIMES):
            level = pixels[row // TIMES * SIDE + column // TIMES]
            image[(row + MARGIN) * WIDTH + column + MARGIN] = level * 255 // 16
    return bytes(image)


def write_set(folder, prefix, rows):
    images = struct.pack(">IIII", 0x803, len(rows), WIDTH, WIDTH) + b"".join(enlarged(row[:-1]) for row in rows)
    labels = struct.pack(">II", 0x801, len(rows)) + bytes(row[-1] for row in rows)
    (folder / f"{prefix}-images-idx3-ubyte").write_bytes(images)
    (folder / f"{prefix}-labels-idx1-ubyte").write_bytes(labels)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(rows_of(sys.argv[1]))
    write_set(folder, "train", [row for i, row in enumerate(rows) if i % 5 != 4])
    write_set(folder, "t10k", [row for i, row in enumerate(rows) if i % 5 == 4])


main()
