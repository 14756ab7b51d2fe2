/** Of the widest common sans-serif faces, the average bold letter is about this wide at a size of 1. */
const LETTER_WIDTH = 0.62;
const FONT_SIZE = 15;
/** Smaller letters are hard to read where the drawing is as small as on a phone. */
const LEAST_FONT_SIZE = 10;
const MARGIN = 4;

type NameLeaderProps = {
  name: string;
  /** Where the line begins, on the part. */
  at: readonly [x: number, y: number];
  /** How wide the drawing is. */
  width: number;
};

/** A line from a part of a drawing up to its name, which stays inside the drawing. */
export function NameLeader({ name, at: [x, y], width }: NameLeaderProps) {
  const room = (width - 2 * MARGIN) / LETTER_WIDTH;
  const fontSize = Math.min(FONT_SIZE, Math.max(LEAST_FONT_SIZE, room / name.length));
  const letters = Math.floor(room / fontSize);
  const text = name.length > letters ? `${name.slice(0, letters - 1).trimEnd()}…` : name;
  const half = (text.length * LETTER_WIDTH * fontSize) / 2;
  const middle = Math.min(Math.max(x, MARGIN + half), width - MARGIN - half);
  return (
    <g className="stroke-accent">
      <path d={`M${x} ${y}V22`} strokeWidth="1.25" />
      <circle cx={x} cy={y} r="2.25" className="fill-accent" stroke="none" />
      <text
        x={middle}
        y="15"
        textAnchor="middle"
        fontSize={fontSize}
        fontWeight="600"
        stroke="none"
        className="fill-accent-strong"
      >
        {text}
      </text>
    </g>
  );
}
