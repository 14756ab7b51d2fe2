import { useRef, type CSSProperties, type KeyboardEvent, type PointerEvent } from 'react';

/** A place on a picture, as shares of its width and height. */
export type Place = { left: number; top: number; width: number; height: number };

/** By how much something is dragged, as shares of the picture's width and height. */
type Move = {
  right: number;
  down: number;
  /** Whether it is moved by keys, and Shift is held. */
  shift: boolean;
  /** What of it the finger or mouse holds; null for keys. */
  held: EventTarget | null;
};

/** A key moves by this share of a side. */
const KEY_STEP = 0.02;
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** What a button on a picture of this `size` takes that fingers, a mouse or the arrow keys move. */
export function useDrag(size: () => DOMRect | undefined, onMove: (move: Move) => void) {
  const last = useRef<{ x: number; y: number; held: EventTarget } | null>(null);
  const release = () => {
    last.current = null;
  };
  return {
    onKeyDown: (event: KeyboardEvent) => {
      const arrow = ARROWS[event.key];
      if (arrow === undefined) return;
      event.preventDefault();
      const [right, down] = [arrow[0] * KEY_STEP, arrow[1] * KEY_STEP];
      onMove({ right, down, shift: event.shiftKey, held: null });
    },
    onPointerDown: (event: PointerEvent) => {
      // A finger is quicker than the corner that it drags, and must not lose it.
      event.currentTarget.setPointerCapture(event.pointerId);
      last.current = { x: event.clientX, y: event.clientY, held: event.target };
    },
    onPointerMove: (event: PointerEvent) => {
      const whole = size();
      if (last.current === null || whole === undefined) return;
      const { held } = last.current;
      const right = (event.clientX - last.current.x) / whole.width;
      const down = (event.clientY - last.current.y) / whole.height;
      // A press alone moves nothing.
      if (right === 0 && down === 0) return;
      last.current = { x: event.clientX, y: event.clientY, held };
      onMove({ right, down, shift: false, held });
    },
    onPointerUp: release,
    onPointerCancel: release,
  };
}

/** Puts something at a place of what is around it. */
export function placeStyle({ left, top, width, height }: Place): CSSProperties {
  const percent = (share: number) => `${share * 100}%`;
  return {
    left: percent(left),
    top: percent(top),
    width: percent(width),
    height: percent(height),
  };
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
