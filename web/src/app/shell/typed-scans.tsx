import { Suspense, useState } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { useTypedScan } from '@/hooks/use-typed-scan';

const FindPartDialog = lazyComponent(
  async () => (await import('@/components/find-part-dialog')).FindPartDialog,
);

/** Finds the part of a number that a barcode scanner types on any screen. */
export function TypedScans() {
  const [scanned, setScanned] = useState<string | null>(null);
  useTypedScan(setScanned);
  if (scanned === null) return null;
  return (
    <ErrorBoundary what="The search">
      <Suspense fallback={null}>
        <FindPartDialog text={scanned} onClose={() => setScanned(null)} />
      </Suspense>
    </ErrorBoundary>
  );
}
