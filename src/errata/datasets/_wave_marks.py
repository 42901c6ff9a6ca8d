"""From the marks of an annotator of electrocardiograms to one label per sample."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

_WAVES = {"p": "P", "t": "T", "u": "U"}  # any other symbol between brackets is that of a beat
_LONGEST_PAUSE = 2.0  # seconds from one QRS complex to the next of the same sequence
_SKIPPED_BEAT = 1.7  # an interval of so many usual ones holds a beat that was not annotated


class Wave(NamedTuple):
    """First and last sample of a wave, None where the annotator did not mark it."""

    name: str
    onset: int | None
    end: int | None


class Beat(NamedTuple):
    """A beat of which enough is marked: P may be missing, and starts with QRS then."""

    p: int
    qrs: int
    qrs_end: int
    t_end: int


class Annotation(NamedTuple):
    """Labelled samples: where they stand in the record, their labels, lengths of the sequences."""

    samples: np.ndarray
    labels: np.ndarray
    lengths: list[int]


def annotate(samples: np.ndarray, symbols: np.ndarray, fs: float) -> Annotation:
    """Label every sample that an annotator's marks cover, sequence after sequence.

    P lasts from its onset to the QRS complex, T from there to its end, B3 is the rest: the four
    labels follow each other in a circle. (Most T waves have no marked onset, so no other rule would
    do for all.) A U wave is B3. A beat counts when the onset and end of its QRS complex and the end
    of its T wave are marked. Beats that follow each other make one sequence, from the first P onset
    to the last T end; it is cut where an interval is so long that a beat between was not annotated.
    All other samples are left out.

    Examples
    --------
    >>> marks = [(2, "("), (4, "p"), (5, ")"), (8, "("), (9, "N"), (10, ")"), (13, "t"), (15, ")")]
    >>> found = annotate(*map(np.array, zip(*marks)), fs=250.0)
    >>> found.samples[0].item(), " ".join(found.labels), found.lengths
    (2, 'P P P P P P QRS QRS QRS T T T T T', [14])
    """
    beats = list(_beats(_waves(samples, symbols)))
    sequences = [_label(part) for part in _sequences(beats, fs)]
    if not sequences:
        return Annotation(np.zeros(0, dtype=int), np.zeros(0, dtype="<U3"), [])
    positions, labels = zip(*sequences, strict=True)
    return Annotation(np.concatenate(positions), np.concatenate(labels), list(map(len, labels)))


def _waves(samples: np.ndarray, symbols: np.ndarray) -> Iterator[Wave]:
    """Read marks in order: a bracket opens, a symbol names the wave, a bracket closes."""
    onset, name = None, None
    for sample, symbol in zip(samples.tolist(), symbols.tolist(), strict=True):
        if symbol == "(":
            if name is not None:  # of a wave that was named and never closed
                yield Wave(name, onset, None)
            onset, name = sample, None
        elif symbol == ")":
            if name is not None:
                yield Wave(name, onset, sample)
            onset, name = None, None
        else:
            if name is not None:
                yield Wave(name, onset, None)
                onset = None
            name = _WAVES.get(symbol, "QRS")
    if name is not None:
        yield Wave(name, onset, None)


def _beats(waves: Iterator[Wave]) -> Iterator[Beat]:
    p: Wave | None = None
    qrs: Wave | None = None
    for wave in waves:
        if wave.name == "P":
            p, qrs = wave, None
        elif wave.name == "QRS":
            # Of two complexes in a row the first had no T wave, and P belonged to it.
            p, qrs = (p if qrs is None else None), wave
        elif wave.name == "T":
            beat = _beat(p, qrs, wave)
            if beat is not None:
                yield beat
                p, qrs = None, None


def _beat(p: Wave | None, qrs: Wave | None, t: Wave) -> Beat | None:
    if qrs is None or qrs.onset is None or qrs.end is None or t.end is None:
        return None
    p_onset = qrs.onset if p is None or p.onset is None else p.onset
    return Beat(p_onset, qrs.onset, qrs.end, t.end)


def _sequences(beats: list[Beat], fs: float) -> list[list[Beat]]:
    intervals = np.diff([beat.qrs for beat in beats])
    if not len(intervals):
        return [beats] if beats else []
    longest = min(_LONGEST_PAUSE * fs, _SKIPPED_BEAT * np.median(intervals))
    cuts = [0, *(np.flatnonzero(intervals > longest) + 1).tolist(), len(beats)]
    return [beats[begin:stop] for begin, stop in pairwise(cuts)]


def _label(beats: list[Beat]) -> tuple[np.ndarray, np.ndarray]:
    first, last = beats[0].p, beats[-1].t_end
    labels = np.full(last - first + 1, "B3", dtype="<U3")
    # T first: where the next P begins before a T ends, it is P.
    for wave, begin, stop in (
        [("T", beat.qrs_end + 1, beat.t_end + 1) for beat in beats]
        + [("P", beat.p, beat.qrs) for beat in beats]
        + [("QRS", beat.qrs, beat.qrs_end + 1) for beat in beats]
    ):
        labels[begin - first : stop - first] = wave
    return np.arange(first, last + 1), labels
