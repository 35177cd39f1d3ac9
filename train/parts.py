"""Splits large files into parts that can be carried one at a time, and joins them again elsewhere.

`pack` lays the corpus, the student and the teacher into parts; `unpack` adds one part to the joined file on the
other side and unpacks it when the last has come.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import tarfile
from pathlib import Path

from . import weights

PART = 73 * 2**19  # beside the checkout itself, a call may carry little more
CARRIED = ("texts.npz", "turns.npz", "pairs.npz", "distil.npy", "corpus.json", "validation.json", "validation.npz")


def bundle(data: Path, student: Path | None, teacher: Path | None) -> bytes:
    """One archive of what a training run reads: token ids, the student in half precision, the teacher in int8 rows."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as tar:
        for name in CARRIED:
            tar.add(data / name, f"data/{name}")
        for path, name, write in (
            (student, "student.npz", weights.write_half),
            (teacher, "teacher.npz", weights.write_rows),
        ):
            if path is not None:
                made = data / name
                if not made.is_file():
                    write(made, weights.read(path))
                tar.add(made, name)
    return buffer.getvalue()


def pack(content: bytes, folder: Path) -> list[Path]:
    """Writes the parts, each in a folder of its own (a call carries one), with a list of them all."""
    count = -(-len(content) // PART)
    listing = {"parts": count, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    made = []
    for number in range(count):
        place = folder / f"part{number}"
        place.mkdir(parents=True, exist_ok=True)
        (place / "list.json").write_text(json.dumps(listing), "utf-8")
        (place / "bytes").write_bytes(content[number * PART : (number + 1) * PART])
        made.append(place)
    return made


def unpack(part: Path, work: Path) -> bool:
    """Takes one part into `work`; when all are there, checks and unpacks them. True when that was done."""
    listing = json.loads((part / "list.json").read_text("utf-8"))
    work.mkdir(parents=True, exist_ok=True)
    (work / part.name).write_bytes((part / "bytes").read_bytes())
    parts = [work / f"part{number}" for number in range(listing["parts"])]
    if not all(path.is_file() for path in parts):
        return False
    content = b"".join(path.read_bytes() for path in parts)
    found = hashlib.sha256(content).hexdigest()
    if found != listing["sha256"]:
        raise SystemExit(f"the joined parts have sha256 {found}, not {listing['sha256']}; carry them again")
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as tar:
        tar.extractall(work, filter="data")
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("--data", type=Path, required=True)
    packing.add_argument("--student", type=Path)
    packing.add_argument("--teacher", type=Path)
    packing.add_argument("--out", type=Path, default=Path("train/carry"))
    unpacking = verbs.add_parser("unpack")
    unpacking.add_argument("part", type=Path)
    unpacking.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    if options.verb == "pack":
        made = pack(bundle(options.data, options.student, options.teacher), options.out)
        print("\n".join(f"{place}: {(place / 'bytes').stat().st_size / 2**20:.1f} MiB" for place in made))
    else:
        print("complete" if unpack(options.part, options.work) else "waiting for the other parts")


if __name__ == "__main__":
    main()
