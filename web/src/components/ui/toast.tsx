import { X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useCallback, useState } from 'react';
import { ToastContext, type ToastMessage } from '@/components/ui/use-toast';
import { classNames } from '@/lib/class-names';

/** Specification 1, section 9: one toast at a time, 5000 ms, swiped away 50 px to the right. */
const DURATION_MS = 5000;
const SWIPE_PX = 50;

type ShownToast = ToastMessage & { id: number };

type ToastProviderProps = { children: ReactNode };

export function ToastProvider({ children }: ToastProviderProps) {
  const [shown, setShown] = useState<ShownToast | null>(null);
  const toast = useCallback((message: ToastMessage) => {
    setShown((previous) => ({ ...message, id: (previous?.id ?? 0) + 1 }));
  }, []);

  return (
    <ToastContext value={toast}>
      <Radix.Provider duration={DURATION_MS} swipeDirection="right" swipeThreshold={SWIPE_PX}>
        {children}
        {shown !== null && (
          <Radix.Root
            key={shown.id}
            type={shown.tone === 'bad' ? 'foreground' : 'background'}
            onOpenChange={(open) => {
              if (!open) setShown((current) => (current?.id === shown.id ? null : current));
            }}
            className={classNames(
              'flex animate-rise items-start gap-3 rounded-lg border bg-raised p-4 shadow-float data-[swipe=cancel]:translate-x-0 data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
              shown.tone === 'bad' ? 'border-bad/60' : 'border-control/50',
            )}
          >
            <div className="min-w-0 flex-1">
              <Radix.Title
                className={classNames('text-sm font-semibold', shown.tone === 'bad' && 'text-bad')}
              >
                {shown.title}
              </Radix.Title>
              <Radix.Description className="mt-0.5 text-sm text-soft">
                {shown.description}
              </Radix.Description>
            </div>
            <Radix.Close
              aria-label="Dismiss"
              className="-m-1 grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
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
    </ToastContext>
  );
}
