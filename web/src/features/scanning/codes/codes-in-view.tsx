import { Barcode, Search } from 'lucide-react';
import { Suspense, useEffect, useState, type RefObject } from 'react';
import { lazyComponent } from '@/components/lazy-component';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { isAddress, searchText, type SeenCode } from '@/features/scanning/codes/code';
import { watchCodes } from '@/features/scanning/codes/watch-codes';

const FindPartDialog = lazyComponent(
  async () => (await import('@/components/find-part-dialog')).FindPartDialog,
);

type CodesInViewProps = { videoRef: RefObject<HTMLVideoElement | null> };

/** The code that the running camera saw last, and what can be done with it. */
export function CodesInView({ videoRef }: CodesInViewProps) {
  const [code, setCode] = useState<SeenCode | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    if (typeof Worker !== 'undefined' && typeof OffscreenCanvas !== 'undefined') {
      // Where it fails the camera works as ever, only without codes.
      watchCodes(videoRef, setCode, ended.signal).catch(() => ended.abort());
    }
    return () => ended.abort();
  }, [videoRef]);
  return (
    <div role="status" aria-label="Code in view" className="empty:hidden">
      {code !== null && (
        <div className="flex flex-wrap items-center justify-between gap-2 rounded-md border px-3 py-2 text-sm">
          <p className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-2">
            <Barcode className="size-4 shrink-0 text-accent" aria-hidden />
            <bdi className="font-mono wrap-anywhere">{code.text}</bdi>
            <Badge tone="outline">{code.symbology}</Badge>
          </p>
          {isAddress(code) ? (
            <p className="text-xs text-muted">Leads to an address, which is not opened.</p>
          ) : (
            <Button size="small" onClick={() => setWanted(searchText(code))}>
              <Search className="size-4" aria-hidden />
              Search
            </Button>
          )}
        </div>
      )}
      {wanted !== null && (
        <Suspense fallback={null}>
          <FindPartDialog text={wanted} onClose={() => setWanted(null)} />
        </Suspense>
      )}
    </div>
  );
}
