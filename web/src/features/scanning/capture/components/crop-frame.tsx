import type { ReactNode, RefObject } from 'react';
import { moveCrop, type Crop, type Handle } from '@/features/scanning/capture/crop';
import { placeStyle, useDrag } from '@/features/scanning/drag';
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

/** With Shift held, a key moves by so many times as much. */
const SHIFT_STEPS = 5;

type GripProps = CropFrameProps & {
  handle: Handle;
  label: string;
  className: string;
  children?: ReactNode;
};

/** What a finger or the arrow keys hold. */
function Grip({ box, onCrop, handle, label, className, children }: GripProps) {
  const drag = useDrag(
    () => box.current?.getBoundingClientRect(),
    ({ right, down, shift }) => {
      const steps = shift ? SHIFT_STEPS : 1;
      onCrop((current) => moveCrop(current, handle, right * steps, down * steps));
    },
  );
  return (
    <button type="button" aria-label={label} className={className} {...drag}>
      {children}
    </button>
  );
}

/** The frame over the photograph, moved by its corners or as a whole, with fingers or keys. */
export function CropFrame(props: CropFrameProps) {
  const place = placeStyle(props.crop);
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
