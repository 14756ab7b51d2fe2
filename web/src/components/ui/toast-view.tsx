import { X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import type { ToastMessage } from '@/components/ui/use-toast';
import { classNames } from '@/lib/class-names';

/** Specification 1, section 9: one toast at a time, 5000 ms, swiped away 50 px to the right. */
const DURATION_MS = 5000;
const SWIPE_PX = 50;

export type ShownToast = ToastMessage & { id: number };

type ToastViewProps = { toast: ShownToast | null; onGone: (id: number) => void };

/** The toast on screen, if there is one, and the place where toasts appear. */
export function ToastView({ toast, onGone }: ToastViewProps) {
  return (
    <Radix.Provider duration={DURATION_MS} swipeDirection="right" swipeThreshold={SWIPE_PX}>
      {toast !== null && (
        <Radix.Root
          key={toast.id}
          // A failure interrupts what a screen reader says; anything else waits for its end.
          type={toast.tone === 'bad' ? 'foreground' : 'background'}
          onOpenChange={(open) => {
            if (!open) onGone(toast.id);
          }}
          className={classNames(
            'flex animate-rise items-start gap-3 rounded-lg border bg-raised p-4 shadow-float data-[swipe=cancel]:translate-x-0 data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
            toast.tone === 'bad' ? 'border-bad/60' : 'border-control/50',
          )}
        >
          <div className="min-w-0 flex-1 wrap-anywhere">
            <Radix.Title
              className={classNames('text-sm font-semibold', toast.tone === 'bad' && 'text-bad')}
            >
              {toast.title}
            </Radix.Title>
            <Radix.Description className="mt-0.5 text-sm text-soft">
              {toast.description}
            </Radix.Description>
          </div>
          <Radix.Close
            aria-label="Dismiss"
            className="-m-2 grid icon-button shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
          >
            <X className="size-4" aria-hidden />
          </Radix.Close>
        </Radix.Root>
      )}
      <Radix.Viewport
        hotkey={['F8']}
        className="pointer-events-auto fixed inset-x-3 top-3 z-60 ml-auto sm:top-auto sm:bottom-[calc(var(--bottom-navigation)+0.75rem)] sm:max-w-sm outline-none empty:hidden"
      />
    </Radix.Provider>
  );
}
