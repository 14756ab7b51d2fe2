import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { analysingText, cancelText } from '@/features/scanning/capture/scan-flow';
import type { Scan } from '@/features/scanning/capture/use-scan-flow';

type PlainScanProps = {
  scan: Scan;
  /** What had the focus before the scan. */
  returnFocus: () => HTMLElement | null;
};

/** Stands in for the dialogs of a scan until their code is there, and where it does not arrive. */
export function PlainScan({ scan, returnFocus }: PlainScanProps) {
  const { flow } = scan;
  if (flow.state === 'analysing') {
    return (
      <PlainDialog
        key="analysing"
        title="Analyzing Part..."
        text={analysingText(flow.photos.length, flow.here)}
        actions={[{ name: cancelText(flow.here), act: scan.cancel }]}
        returnFocus={returnFocus}
      />
    );
  }
  if (flow.state === 'failed') {
    const keep = { name: 'Keep and Send Later', act: () => void scan.keepForLater() };
    return (
      <PlainDialog
        key="failed"
        title="Analysis Failed"
        text={
          <>
            <span className="block">{flow.failure.message}</span>
            <span className="block">{flow.failure.advice}</span>
          </>
        }
        actions={[
          { name: 'Close', act: scan.close },
          { name: 'Try Again', act: scan.retry },
          ...(flow.failure.kind === 'unreachable' ? [keep] : []),
        ]}
        returnFocus={returnFocus}
      />
    );
  }
  return null;
}

type PlainDialogProps = {
  title: string;
  text: ReactNode;
  actions: { name: string; act: () => void }[];
  returnFocus: () => HTMLElement | null;
};

function PlainDialog({ title, text, actions, returnFocus }: PlainDialogProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const answered = useRef(false);
  const leave = useRef(returnFocus);
  useEffect(() => {
    const back = leave.current;
    box.current?.focus();
    return () => {
      // Not where the dialog proper takes its place.
      if (answered.current) back()?.focus();
    };
  }, []);
  return (
    <div
      ref={box}
      role="dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      tabIndex={-1}
      className="fixed inset-x-3 top-1/2 z-50 mx-auto grid max-w-md -translate-y-1/2 gap-4 rounded-xl border border-line bg-surface p-5 shadow-float"
    >
      <div className="grid gap-1">
        <p id={`${id}-title`} className="text-lg font-semibold tracking-tight">
          {title}
        </p>
        <p id={`${id}-text`} className="text-sm text-soft">
          {text}
        </p>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        {actions.map(({ name, act }) => (
          <Button
            key={name}
            onClick={() => {
              answered.current = true;
              act();
            }}
          >
            {name}
          </Button>
        ))}
      </div>
    </div>
  );
}
