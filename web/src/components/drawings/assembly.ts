import { createElement, Fragment, type ReactNode } from 'react';

/** One piece of an exploded drawing. */
type Piece = {
  /** For people, in the words that the caption lists: "brake pads". */
  name: string;
  /** The part types that it stands for; none for what is drawn for company only. */
  labels: readonly string[];
  /** Where the line to its name begins. */
  at: readonly [x: number, y: number];
  drawing: ReactNode;
};

/** Pieces that belong together, pulled apart in the order in which they come off. */
export type Assembly = {
  /** For people: "Disc brake". */
  name: string;
  /** The line along which the pieces go together. */
  axis?: string;
  pieces: readonly Piece[];
};

/** One piece, with its drawing in the coordinates of the whole; what is drawn later covers what was drawn before. */
export function piece(facts: Omit<Piece, 'drawing'>, ...drawing: ReactNode[]): Piece {
  return { ...facts, drawing: createElement(Fragment, null, ...drawing) };
}
