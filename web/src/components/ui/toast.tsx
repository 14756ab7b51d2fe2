import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useState, type ReactNode } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import type { ShownToast } from '@/components/ui/toast-view';
import { ToastContext, type ToastMessage } from '@/components/ui/use-toast';

// Nothing is said before somebody does something, so its code comes after the page.
const loadView = async () => (await import('@/components/ui/toast-view')).ToastView;
const ToastView = lazyComponent(loadView);
/** Long enough for the page to come first, short enough for most first messages: some are on screen for 0.5 s only. */
const LOAD_AFTER_MS = 1500;

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
  useEffect(() => {
    // A message that the server is away could not load its own code. If this fails, the first message asks again.
    const timer = setTimeout(() => void loadView().catch(() => undefined), LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
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
