import { Suspense, useEffect, useRef, useState } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';

const ResetButton = lazyComponent(
  async () => (await import('@/app/shell/reset-button')).ResetButton,
);

/** The reset shows after more clicks than this (specification 1, section 9). */
const CLICKS = 4;
/** A longer pause between two clicks begins the count anew, in ms. */
const CLICK_PAUSE_MS = 2000;
/** How long the button stays, in ms. */
const SHOWN_MS = 10_000;

/** The copyright line; for those whose browser holds something broken, a hidden way out. */
export function Footer() {
  const clicks = useRef({ count: 0, at: 0 });
  const [revealed, setRevealed] = useState(false);
  // Hidden under an open question, the button would take the question along.
  const [asking, setAsking] = useState(false);
  const line = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!revealed || asking) return;
    const hide = setTimeout(() => setRevealed(false), SHOWN_MS);
    return () => clearTimeout(hide);
  }, [revealed, asking]);

  const count = () => {
    const last = clicks.current;
    const at = Date.now();
    clicks.current = { count: at - last.at > CLICK_PAUSE_MS ? 1 : last.count + 1, at };
    if (clicks.current.count > CLICKS) {
      clicks.current.count = 0;
      setRevealed(true);
    }
  };

  return (
    <footer className="grid print:hidden justify-items-center gap-3 px-4 py-6 text-center text-xs text-muted">
      {/* It looks like a line of text on purpose: whoever needs it is told of it, also at a keyboard. */}
      <button ref={line} type="button" onClick={count} className="cursor-auto select-none">
        © 2025 Partsight. All rights reserved.
      </button>
      {revealed && (
        <ErrorBoundary what="The reset">
          <Suspense fallback={null}>
            <ResetButton line={line} onAsking={setAsking} />
          </Suspense>
        </ErrorBoundary>
      )}
    </footer>
  );
}
