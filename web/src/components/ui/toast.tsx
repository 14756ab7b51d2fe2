import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useState, type ReactNode } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import type { ShownToast } from '@/components/ui/toast-view';
import { ToastContext, type ToastMessage } from '@/components/ui/use-toast';

// Nothing is said before somebody does something.
const ToastView = lazyComponent(async () => (await import('@/components/ui/toast-view')).ToastView);

type ToastProviderProps = { children: ReactNode };

export function ToastProvider({ children }: ToastProviderProps) {
  const [shown, setShown] = useState<ShownToast | null>(null);
  const [used, setUsed] = useState(false);
  const toast = useCallback((message: ToastMessage) => {
    setUsed(true);
    setShown((previous) => ({ ...message, id: (previous?.id ?? 0) + 1 }));
  }, []);
  const forget = useCallback(
    (id: number) => setShown((current) => (current?.id === id ? null : current)),
    [],
  );
  useEffect(() => {
    // How what is no component shows one.
    const show = (event: Event) => toast((event as CustomEvent<ToastMessage>).detail);
    window.addEventListener('toast', show);
    return () => window.removeEventListener('toast', show);
  }, [toast]);
  const mutations = useQueryClient().getMutationCache();
  // Whoever tries again knows that it failed before; left on screen, that would read as the new answer.
  useEffect(
    () =>
      mutations.subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'pending') return;
        setShown((current) => (current?.tone === 'bad' ? null : current));
      }),
    [mutations],
  );
  return (
    <ToastContext value={toast}>
      {children}
      {used && (
        <ErrorBoundary what="The message" attempt={shown?.id ?? 0} fallback={null}>
          <Suspense fallback={null}>
            <ToastView toast={shown} onGone={forget} />
          </Suspense>
        </ErrorBoundary>
      )}
    </ToastContext>
  );
}
