import { Camera, ScanSearch, Square, SquareDashed, Video } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { BenchCamera } from '@/features/bench/camera/use-bench-camera';
import { phaseText } from '@/features/bench/components/phase-text';
import { keyName } from '@/features/bench/keys';
import type { BenchSettings } from '@/features/bench/settings';
import type { Phase } from '@/features/bench/watching/watcher';
import { classNames } from '@/lib/class-names';

type TableViewProps = {
  camera: BenchCamera;
  phase: Phase;
  videoRef: RefObject<HTMLVideoElement | null>;
  settings: BenchSettings;
  hasVehicle: boolean;
  /** The part that the pedal confirms now; null while it scans. */
  confirms: string | null;
  onStart: () => void;
  onStop: () => void;
  onLearn: () => void;
  onPedal: () => void;
};

const TONES = {
  calm: 'border-accent/50 text-accent',
  busy: 'border-warn/60 text-warn',
  stop: 'border-bad/60 text-bad',
};

/** What the camera sees, what the bench waits for, and what the pedal does now. */
export function TableView({
  camera,
  phase,
  videoRef,
  settings,
  hasVehicle,
  confirms,
  onStart,
  onStop,
  onLearn,
  onPedal,
}: TableViewProps) {
  const { tone, title, hint } = phaseText(camera, phase, settings, confirms !== null);
  const isOn = camera.state === 'ready';
  const heading = useRef<HTMLHeadingElement>(null);
  /** The pressed button goes; the heading says what comes of it. */
  const thenRead = (act: () => void) => () => {
    act();
    heading.current?.focus();
  };
  return (
    <Card
      aria-labelledby="table-title"
      className={classNames('grid content-start gap-3 border-2 p-3! sm:p-4!', TONES[tone])}
    >
      <div className="grid gap-1">
        <h2
          id="table-title"
          ref={heading}
          tabIndex={-1}
          className="text-2xl leading-tight font-semibold tracking-tight xl:text-4xl"
        >
          {title}
        </h2>
        <p className="text-sm text-soft xl:text-lg">{hint}</p>
        {/* For those who listen: not each part that moves, but what has to be seen to. */}
        <p role="status" className="sr-only">
          {(!isOn || phase === 'learning' || phase === 'view-changed') && `${title}. ${hint}`}
        </p>
      </div>
      <div className="relative aspect-video overflow-hidden rounded-lg border bg-black lg:max-h-[38dvh]">
        <video
          ref={videoRef}
          muted
          playsInline
          aria-label="The table as the camera sees it"
          className={classNames('size-full object-contain', !isOn && 'invisible')}
        />
        {!isOn && (
          <span className="absolute inset-0 grid place-items-center text-muted">
            <Camera className="size-14" aria-hidden />
          </span>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {camera.state === 'off' ? (
          <Button look="primary" className="flex-1 text-base" onClick={thenRead(onStart)}>
            <Video className="size-5" aria-hidden />
            Start the Camera
          </Button>
        ) : (
          <>
            <Button
              look="primary"
              className="min-w-0 flex-1 basis-48 text-base"
              disabled={!isOn || !hasVehicle}
              onClick={onPedal}
            >
              <ScanSearch className="size-5 shrink-0" aria-hidden />
              <span className="truncate">
                {confirms === null ? 'Scan Now' : `Confirm ${confirms}`}
              </span>
              <KeySign name={keyName(settings.pedal)} />
            </Button>
            <Button disabled={!isOn} onClick={onLearn}>
              <SquareDashed className="size-4" aria-hidden />
              Learn Table
              {settings.usesKeys && <KeySign name="L" />}
            </Button>
            <Button onClick={thenRead(onStop)}>
              <Square className="size-4" aria-hidden />
              Stop
            </Button>
          </>
        )}
      </div>
    </Card>
  );
}

/** The key of an action, for who works without a mouse. */
export function KeySign({ name }: { name: string }) {
  return (
    <kbd
      aria-hidden
      className="rounded-sm border border-current/40 px-1.5 font-sans text-xs font-medium max-sm:hidden"
    >
      {name}
    </kbd>
  );
}
