import { useRef, type KeyboardEvent } from 'react';
import {
  KEY_STEP,
  moved,
  nameOf,
  resized,
  type Area,
  type Box,
} from '@/features/scanning/regions/boxes';
import { classNames } from '@/lib/class-names';

type PhotoBoxesProps = {
  url: string;
  boxes: readonly Box[];
  /** The key of the box whose row is looked at; null for none. */
  active: string | null;
  /** Nothing is taken now. */
  busy: boolean;
  onActive: (key: string | null) => void;
  onArea: (key: string, area: Area) => void;
  onRemove: (key: string) => void;
};

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The photo with a numbered box for each part, moved and resized with fingers, a mouse or keys. */
export function PhotoBoxes({ url, boxes, ...rest }: PhotoBoxesProps) {
  const frame = useRef<HTMLDivElement>(null);
  return (
    <div ref={frame} className="relative w-fit overflow-hidden rounded-md border select-none">
      <img
        src={url}
        alt="Your photo with its parts"
        draggable={false}
        className="block max-h-[65dvh] max-w-full"
      />
      {boxes.map((box, index) => (
        <PhotoBox
          key={box.key}
          box={box}
          number={index + 1}
          size={() => frame.current?.getBoundingClientRect()}
          {...rest}
        />
      ))}
    </div>
  );
}

type PhotoBoxProps = Omit<PhotoBoxesProps, 'url' | 'boxes'> & {
  box: Box;
  number: number;
  /** Of the photo on screen. */
  size: () => DOMRect | undefined;
};

function PhotoBox({ box, number, active, busy, size, onActive, onArea, onRemove }: PhotoBoxProps) {
  const { key, area } = box;
  const last = useRef<{ x: number; y: number; resizes: boolean } | null>(null);
  const percent = (share: number) => `${share * 100}%`;
  const change = busy ? () => undefined : (to: Area) => onArea(key, to);
  const release = () => {
    last.current = null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    if (arrow !== undefined) {
      event.preventDefault();
      const [right, down] = [arrow[0] * KEY_STEP, arrow[1] * KEY_STEP];
      change(event.shiftKey ? resized(area, right, down) : moved(area, right, down));
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && !busy) {
      event.preventDefault();
      onRemove(key);
    }
  };
  return (
    <button
      type="button"
      aria-label={`Box ${number}: ${nameOf(box)}`}
      aria-describedby="several-parts-keys"
      className={classNames(
        'absolute touch-none border-2',
        busy ? 'cursor-progress' : 'cursor-move',
        box.answer === null ? 'border-dashed border-warn' : 'border-accent',
        active === key && 'z-10 bg-accent/20',
      )}
      style={{
        left: percent(area.left),
        top: percent(area.top),
        width: percent(area.width),
        height: percent(area.height),
      }}
      onFocus={() => onActive(key)}
      onMouseEnter={() => onActive(key)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const resizes = (event.target as HTMLElement).dataset.handle !== undefined;
        last.current = { x: event.clientX, y: event.clientY, resizes };
      }}
      onPointerMove={(event) => {
        const whole = size();
        if (last.current === null || whole === undefined) return;
        const { resizes } = last.current;
        const right = (event.clientX - last.current.x) / whole.width;
        const down = (event.clientY - last.current.y) / whole.height;
        // A press alone moves nothing, and a box that is moved loses its answer.
        if (right === 0 && down === 0) return;
        last.current = { x: event.clientX, y: event.clientY, resizes };
        change(resizes ? resized(area, right, down) : moved(area, right, down));
      }}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <span
        aria-hidden
        className={classNames(
          'pointer-events-none absolute top-0 left-0 grid min-w-6 place-items-center px-1 text-sm font-semibold',
          box.answer === null ? 'bg-warn text-on-accent' : 'bg-accent text-on-accent',
        )}
      >
        {number}
      </span>
      {/* Larger than what is seen of it, for fingers. */}
      <span
        aria-hidden
        data-handle=""
        className="absolute right-0 bottom-0 grid size-8 cursor-nwse-resize place-items-end"
      >
        <span className="pointer-events-none size-3 bg-accent" />
      </span>
    </button>
  );
}
