import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import { formatPercent } from '@/lib/format';
import type { Photo } from '@/lib/photos/photo';

type PhotoFindingsProps = {
  view: ScanView;
  /** The photos that were sent; none for a scan of the history. */
  sent: Photo[];
};

/** What each of several photos looked like by itself, and how much it counted in the answer. */
export function PhotoFindings({ view, sent }: PhotoFindingsProps) {
  return (
    <section aria-labelledby="photo-findings" className="grid gap-2">
      <h3 id="photo-findings" className="text-sm font-semibold">
        From {view.photos.length} photos
      </h3>
      <ol className="grid grid-cols-1 divide-y rounded-md border">
        {view.photos.map((finding, index) => (
          <Finding key={index} finding={finding} number={index + 1} photo={sent[index] ?? null} />
        ))}
      </ol>
    </section>
  );
}

type FindingProps = { finding: Schemas['PhotoFinding']; number: number; photo: Photo | null };

function Finding({ finding, number, photo }: FindingProps) {
  const url = usePhotoUrl(photo?.blob ?? null);
  return (
    <li className="flex items-center gap-3 px-3 py-2 text-sm">
      {url !== null && (
        <img src={url} alt="" className="size-10 shrink-0 rounded-sm border object-cover" />
      )}
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-muted">Photo {number}</span>
          <span className="font-medium">{finding.name}</span>
          {finding.isLead && <Badge tone="outline">Shows it best</Badge>}
        </p>
        <p className="text-muted tabular-nums">
          {formatPercent(finding.confidence)} match by itself, counts for{' '}
          {formatPercent(finding.weight)} of the answer
        </p>
      </div>
    </li>
  );
}
