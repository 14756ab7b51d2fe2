import { useQuery } from '@tanstack/react-query';
import { Suspense, useRef } from 'react';
import { Outlet, ScrollRestoration, useLocation } from 'react-router';
import { BottomNavigation } from '@/app/shell/bottom-navigation';
import { Footer } from '@/app/shell/footer';
import { TopBar } from '@/app/shell/top-bar';
import { UnreachableError } from '@/api/api-error';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { paths } from '@/config/paths';
import { classNames } from '@/lib/class-names';
import { authQueries } from '@/features/accounts/auth/queries';

// The legal texts are long and most visits never show them.
const TermsDialog = lazyComponent(
  async () => (await import('@/features/plans/legal/components/terms-dialog')).TermsDialog,
);

// It has work to do only after the screen stands.
const OfflineSupport = lazyComponent(
  async () => (await import('@/app/shell/offline-support')).OfflineSupport,
);

// Nobody leaves the screen before it stands.
const BetweenScreens = lazyComponent(
  async () => (await import('@/app/shell/between-screens')).BetweenScreens,
);

const TypedScans = lazyComponent(async () => (await import('@/app/shell/typed-scans')).TypedScans);

/** Why it is not known who is signed in. */
function failureOf(error: Error | null): string | null {
  if (error === null) return null;
  return error instanceof UnreachableError ? 'No connection' : 'Account not loaded';
}

/** What surrounds every screen. */
export function Shell() {
  const user = useQuery(authQueries.user());
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  // It has the whole window, and a way back of its own.
  const isBench = pathname === paths.bench;
  const mustAccept = user.data != null && !user.data.termsAccepted;
  return (
    <div className={classNames('flex min-h-dvh flex-col', !isBench && 'pb-(--bottom-navigation)')}>
      <a
        href="#main"
        onClick={(event) => {
          // The focus alone: `#main` in the address would be a step that Back has to undo.
          event.preventDefault();
          main.current?.focus();
        }}
        className="skip-link"
      >
        Skip to content
      </a>
      {pathname !== paths.profile && !isBench && (
        <TopBar user={user.data ?? null} loading={user.isPending} failed={failureOf(user.error)} />
      )}
      <main id="main" ref={main} tabIndex={-1} className="flex-1 outline-none">
        <Outlet />
      </main>
      {!isBench && (
        <>
          <Footer />
          <BottomNavigation />
        </>
      )}
      {mustAccept && (
        <Suspense fallback={<div className="fixed inset-0 z-40 bg-canvas" />}>
          <TermsDialog open />
        </Suspense>
      )}
      <Suspense fallback={null}>
        <ErrorBoundary what="The question before leaving" fallback={null}>
          <BetweenScreens />
        </ErrorBoundary>
        {/* At the bench a scanner names the bin or order. */}
        {user.data != null && !isBench && (
          <ErrorBoundary what="The search" fallback={null}>
            <TypedScans />
          </ErrorBoundary>
        )}
        {user.data !== undefined && (
          <ErrorBoundary what="Sending photos" fallback={null}>
            <OfflineSupport user={user.data} />
          </ErrorBoundary>
        )}
      </Suspense>
      <ScrollRestoration />
    </div>
  );
}
