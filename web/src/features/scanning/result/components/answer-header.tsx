import { X } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';

type AnswerHeaderProps = {
  /** Of the heading, which the card is named by. */
  titleId: string;
  title: string;
  /** The scan; another one takes the focus anew. */
  scanId: string;
  closeLabel: string;
  onClose: () => void;
  /** What it is for, and since when. */
  children: ReactNode;
};

/** The head of the card that answers a scan. */
export function AnswerHeader({
  titleId,
  title,
  scanId,
  closeLabel,
  onClose,
  children,
}: AnswerHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The answer appears where the reader was not: move there, also for screen readers.
  useEffect(() => {
    heading.current?.focus();
  }, [scanId]);
  return (
    <header className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <h2
          id={titleId}
          ref={heading}
          tabIndex={-1}
          className="text-xl font-semibold tracking-tight"
        >
          {title}
        </h2>
        <p className="text-sm wrap-anywhere text-muted">{children}</p>
      </div>
      <button
        type="button"
        aria-label={closeLabel}
        onClick={onClose}
        className="-mt-1 -mr-1 grid icon-button shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        <X className="size-5" aria-hidden />
      </button>
    </header>
  );
}
