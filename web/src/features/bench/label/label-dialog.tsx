import { Printer } from 'lucide-react';
import { Suspense, useState, type RefObject } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Spinner } from '@/components/ui/spinner';
import type { BenchLine } from '@/features/bench/list/model';

const LabelSheet = lazyComponent(
  async () => (await import('@/features/bench/label/label-sheet')).LabelSheet,
);

type LabelDialogProps = {
  line: BenchLine;
  /** Has the focus afterwards where what had it before is gone. */
  heir: RefObject<HTMLElement | null>;
  onClose: () => void;
  onPrint: (line: BenchLine) => void;
};

/** The label of a part as it will be printed. */
export function LabelDialog({ line, heir, onClose, onPrint }: LabelDialogProps) {
  // A part that arrives meanwhile takes the place of the one on the board, and of its buttons.
  const [opener] = useState(() => document.activeElement);
  return (
    <Dialog
      open
      onClose={onClose}
      returnFocus={() => (opener?.isConnected === true ? null : heir.current)}
      title={`Label of Part ${line.number}`}
      description={
        line.answer.state === 'answered'
          ? 'Its code leads to the scan in the history.'
          : 'Without an answer there is no scan yet that a code could lead to.'
      }
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            look="primary"
            onClick={() => {
              onClose();
              onPrint(line);
            }}
          >
            <Printer className="size-4" aria-hidden />
            Print
          </Button>
        </>
      }
    >
      <div className="grid place-items-center overflow-x-auto rounded-md bg-raised p-4">
        <ErrorBoundary what="The label">
          <Suspense fallback={<Spinner label="Drawing the label" />}>
            <LabelSheet line={line} />
          </Suspense>
        </ErrorBoundary>
      </div>
    </Dialog>
  );
}
