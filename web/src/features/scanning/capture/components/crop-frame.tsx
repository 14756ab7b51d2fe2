import { useRef, type ReactNode, type RefObject } from 'react';
import { moveCrop, type Crop, type Handle } from '@/features/scanning/capture/crop';
import { classNames } from '@/lib/class-names';

type CropFrameProps = {
  /** What the shares of the crop are shares of. */
  box: RefObject<HTMLElement | null>;
  crop: Crop;
  onCrop: (change: (crop: Crop) => Crop) => void;
};

const CORNERS: { handle: Handle; label: string; place: string }[] = [
  { handle: 'top-left', label: 'Top left corner', place: '-top-5 -left-5 cursor-nwse-resize' },
  { handle: 'top-right', label: 'Top right corner', place: '-top-5 -right-5 cursor-nesw-resize' },
  {
    handle: 'bottom-left',
    label: 'Bottom left corner',
    place: '-bottom-5 -left-5 cursor-nesw-resize',
  },
  {
    handle: 'bottom-right',
    label: 'Bottom right corner',
    place: '-right-5 -bottom-5 cursor-nwse-resize',
  },
];

/** A key moves by this share of a side, with Shift by five times as much. */
const KEY_STEP = 0.02;
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type GripProps = CropFrameProps & {
  handle: Handle;
  label: string;
  className: string;
  children?: ReactNode;
};

/** What a finger or the arrow keys hold. */
function Grip({ box, onCrop, handle, label, className, children }: GripProps) {
  const last = useRef<{ x: number; y: number } | null>(null);
  const release = () => {
    last.current = null;
  };
  return (
    <button
      type="button"
      aria-label={label}
      className={className}
      onKeyDown={(event) => {
        const arrow = ARROWS[event.key];
        if (arrow === undefined) return;
        event.preventDefault();
        const step = KEY_STEP * (event.shiftKey ? 5 : 1);
        onCrop((current) => moveCrop(current, handle, arrow[0] * step, arrow[1] * step));
      }}
      onPointerDown={(event) => {
        // A finger is quicker than the corner that it drags, and must not lose it.
        event.currentTarget.setPointerCapture(event.pointerId);
        last.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={(event) => {
        const size = box.current?.getBoundingClientRect();
        if (last.current === null || size === undefined) return;
        const right = (event.clientX - last.current.x) / size.width;
        const down = (event.clientY - last.current.y) / size.height;
        last.current = { x: event.clientX, y: event.clientY };
        onCrop((current) => moveCrop(current, handle, right, down));
      }}
      onPointerUp={release}
      onPointerCancel={release}
    >
      {children}
    </button>
  );
}

/** The frame over the photograph, moved by its corners or as a whole, with fingers or keys. */
export function CropFrame(props: CropFrameProps) {
  const { crop } = props;
  const percent = (share: number) => `${share * 100}%`;
  const place = {
    left: percent(crop.left),
    top: percent(crop.top),
    width: percent(crop.width),
    height: percent(crop.height),
  };
  return (
    <>
      <div aria-hidden className="absolute inset-0 overflow-hidden rounded-sm">
        <div className="absolute shadow-[0_0_0_100vmax_rgb(0_0_0/0.6)]" style={place} />
      </div>
      <div className="absolute" style={place}>
        <Grip
          {...props}
          handle="frame"
          label="Move the frame"
          className="absolute inset-0 cursor-move border-2 border-accent"
        />
        {CORNERS.map(({ handle, label, place: corner }) => (
          <Grip
            key={handle}
            {...props}
            handle={handle}
            label={label}
            className={classNames('absolute grid size-10 place-items-center', corner)}
          >
            <span aria-hidden className="size-4 rounded-full border-2 border-canvas bg-accent" />
          </Grip>
        ))}
      </div>
    </>
  );
}
