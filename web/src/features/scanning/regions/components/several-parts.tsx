import { Grid2x2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { Button } from '@/components/ui/button';
import { Spinner } from '@/components/ui/spinner';
import type { ScanView } from '@/features/scanning/result/scan-view';
import type { Photo } from '@/lib/photos/photo';

// Few photos show several parts.
const SeveralPartsPanel = lazyComponent(
  async () =>
    (await import('@/features/scanning/regions/components/several-parts-panel')).SeveralPartsPanel,
);

type SeveralPartsProps = {
  view: ScanView;
  /** The photo that was sent; null for a scan of the history. */
  photo: Photo | null;
};

/** The way to the parts of a photo that shows several. */
export function SeveralParts({ view, photo }: SeveralPartsProps) {
  // A scan of several parts begins with them.
  const [open, setOpen] = useState(view.regions != null);
  const [wasOpened, setWasOpened] = useState(open);
  return (
    <div className="grid grid-cols-1 gap-3">
      <Button
        look="ghost"
        size="small"
        className="justify-self-start"
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          setWasOpened(true);
        }}
      >
        <Grid2x2 className="size-4" aria-hidden />
        Several parts in this picture?
      </Button>
      {wasOpened && (
        // Closed, it keeps the boxes that are not saved yet.
        <div hidden={!open}>
          <ErrorBoundary what="The list of parts">
            <Suspense fallback={<Spinner label="Loading..." />}>
              <SeveralPartsPanel view={view} sent={photo} />
            </Suspense>
          </ErrorBoundary>
        </div>
      )}
    </div>
  );
}
