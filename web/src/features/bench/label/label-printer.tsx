import { Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import type { BenchLine } from '@/features/bench/list/model';

// The code that draws QR codes comes with the first label.
const LabelSheet = lazyComponent(
  async () => (await import('@/features/bench/label/label-sheet')).LabelSheet,
);

type LabelPrinterProps = { line: BenchLine; onDone: () => void };

/** Prints the label of a part: on paper there is nothing else. */
export function LabelPrinter({ line, onDone }: LabelPrinterProps) {
  return createPortal(
    <div className="print-alone">
      <ErrorBoundary what="The label" fallback={<Done onDone={onDone} />}>
        <Suspense fallback={null}>
          <LabelSheet line={line} />
          <Print onDone={onDone} />
        </Suspense>
      </ErrorBoundary>
    </div>,
    document.body,
  );
}

/** Opens the print dialog once the label beside it stands. */
function Print({ onDone }: { onDone: () => void }) {
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  }, [onDone]);
  useEffect(() => {
    const end = () => done.current();
    window.addEventListener('afterprint', end, { once: true });
    window.print();
    return () => window.removeEventListener('afterprint', end);
  }, []);
  return null;
}

/** A label that could not be drawn must not hold the next ones up. */
function Done({ onDone }: { onDone: () => void }) {
  useLayoutEffect(onDone, [onDone]);
  return null;
}
