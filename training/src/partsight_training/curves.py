"""The course of a training run as a picture: accuracy and loss of every member."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT, MARGIN = 640, 300, 48  # px
COLOURS = ("#1d6fb8", "#c2571a", "#3f8f3f", "#8a4fb0", "#8a6d1d", "#b0304f")


def write_curves(members: list[dict], path: Path) -> None:
    """Write an SVG with two charts over the epochs; each member has a `name` and a `curve`."""
    charts = [
        _chart(members, "accuracy", "Accuracy on altered training photographs", 0),
        _chart(members, "loss", "Loss", HEIGHT),
    ]
    legend = "".join(
        f'<text x="{MARGIN + 130 * i}" y="{2 * HEIGHT + 22}" fill="{COLOURS[i % len(COLOURS)]}">'
        f"{member['name']}</text>"
        for i, member in enumerate(members)
    )
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {2 * HEIGHT + 36}" '
        'font-family="sans-serif" font-size="13" role="img" '
        'aria-label="Accuracy and loss of each member over the epochs">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(charts)}{legend}</svg>\n',
        encoding="utf-8",
    )


def _chart(members: list[dict], figure: str, title: str, top: int) -> str:
    points = [(row["epoch"], row[figure]) for member in members for row in member["curve"]]
    last = max(epoch for epoch, _ in points)
    low, high = min(v for _, v in points), max(v for _, v in points)
    span = (high - low) or 1.0

    def place(epoch: float, value: float) -> str:
        x = MARGIN + epoch / last * (WIDTH - 2 * MARGIN)
        y = top + HEIGHT - MARGIN - (value - low) / span * (HEIGHT - 2 * MARGIN)
        return f"{x:.1f},{y:.1f}"

    lines = "".join(
        f'<polyline fill="none" stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="2" points="'
        + " ".join(place(row["epoch"], row[figure]) for row in member["curve"])
        + '"/>'
        for i, member in enumerate(members)
    )
    floor = top + HEIGHT - MARGIN
    return (
        f'<text x="{MARGIN}" y="{top + 28}" font-weight="bold">{title}</text>'
        f'<path d="M{MARGIN} {top + MARGIN}V{floor}H{WIDTH - MARGIN}" fill="none" stroke="#888"/>'
        f'<text x="{MARGIN - 6}" y="{top + MARGIN + 4}" text-anchor="end">{high:.2f}</text>'
        f'<text x="{MARGIN - 6}" y="{floor + 4}" text-anchor="end">{low:.2f}</text>'
        f'<text x="{WIDTH - MARGIN}" y="{floor + 18}" text-anchor="end">{last:g} epochs</text>'
        f"{lines}"
    )
