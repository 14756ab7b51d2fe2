import { useRef } from 'react';
import { placeStyle, useDrag } from '@/features/scanning/drag';
import { moved, nameOf, resized, type Area, type Box } from '@/features/scanning/regions/boxes';
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
  const drag = useDrag(size, ({ right, down, shift, held }) => {
    const isCorner = held instanceof HTMLElement && held.dataset.handle !== undefined;
    const change = shift || isCorner ? resized : moved;
    if (!busy) onArea(key, change(area, right, down));
  });
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
      style={placeStyle(area)}
      onFocus={() => onActive(key)}
      onMouseEnter={() => onActive(key)}
      {...drag}
      onKeyDown={(event) => {
        if ((event.key === 'Delete' || event.key === 'Backspace') && !busy) {
          event.preventDefault();
          onRemove(key);
        } else drag.onKeyDown(event);
      }}
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
